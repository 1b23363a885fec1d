# seal
#
# in    everything that was made
# out   results/ro-crate-metadata.json        all files, jobs and settings, for other programs
#       results/manifest.json                 digests of all files, and of what they were made of


rule seal:
    """Write down the digests of all that was made, and tell the run as an RO-Crate."""
    input:
        manifest.described(plan),
    output:
        crate=manifest.CRATE,
        manifest=manifest.MANIFEST,
    log:
        f"{LOGS}/seal.log",
    localrule: True
    params:
        config=plan.raw,
        build=lambda wildcards: manifest.build(plan),
        beside=beside(),
        code=plan.code("seal"),
    script:
        "../scripts/seal.py"
