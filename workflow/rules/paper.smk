# paper
#
# in    results/grids/{figure}.parquet        of the heatmaps of a source
#       data/…                                digits that a paper prints of the same cells
# out   results/published/{source}.{csv,txt}  computed ↔ printed digits


rule check_published:
    """Compare every cell made from {wildcards.source} with the printed digit."""
    input:
        grids=lambda wildcards: expand(
            "results/grids/{figure}.parquet",
            figure=plan.check("check_published", wildcards.source).figures,
        ),
        cells=lambda wildcards: local(
            ancient(plan.check("check_published", wildcards.source).given["cells"])
        ),
        # None, or one.
        means=lambda wildcards: [
            local(ancient(path))
            for name, path in plan.check("check_published", wildcards.source).given.items()
            if name == "means"
        ],
    output:
        "results/published/{source}.csv",
        "results/published/{source}.txt",
    log:
        LOGS + "/check_published/{source}.log",
    localrule: True
    params:
        given=lambda wildcards: plan.check_params("check_published", wildcards.source),
    script:
        "../scripts/check_published.py"
