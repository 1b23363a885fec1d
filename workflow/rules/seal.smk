# seal
#
# in    everything that was made
# out   results/figures.json                  figure, its id, a digest of its pixels
#       results/manifest.json                 digests of all files, and of what they were made of


rule seal:
    """Write down the digests of all that was made."""
    input:
        artefacts.outputs(plan),
    output:
        pictures=artefacts.PICTURES,
        manifest=artefacts.MANIFEST,
    params:
        build=lambda wildcards: manifest.build(plan),
        figures=list(plan.figures),
        code=plan.code("seal"),
    log:
        "results/log/seal.log",
    script:
        "../scripts/seal.py"
