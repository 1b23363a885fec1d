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
    log:
        "results/log/seal.log",
    params:
        build=lambda wildcards: manifest.build(plan),
        figures=list(plan.figures),
        code=plan.code("seal"),
    script:
        "../scripts/seal.py"
