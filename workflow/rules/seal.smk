# seal
#
# in    everything that was made
# out   results/figures.json                  figure, its id, a digest of its pixels
#       results/ro-crate-metadata.json        all files, jobs and settings, for other programs
#       results/manifest.json                 digests of all files, and of what they were made of


rule seal:
    """Write down the digests of all that was made, and tell the run as an RO-Crate."""
    input:
        artefacts.described(plan),
    output:
        pictures=artefacts.PICTURES,
        crate=artefacts.CRATE,
        manifest=artefacts.MANIFEST,
    log:
        "results/log/seal.log",
    params:
        build=lambda wildcards: manifest.build(plan),
        pictures=plan.pictures(),
        program=crate.program(plan),
        code=plan.code("seal"),
    script:
        "../scripts/seal.py"
