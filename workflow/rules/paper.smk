# paper
#
# in    results/grids/{figure}.parquet        of the heatmaps of a source
#       data/…                                digits that a paper prints of the same cells
# out   results/published/{source}.{csv,txt}  computed ↔ printed digits


rule check_published:
    """Compare every cell made from {wildcards.source} with the printed digit."""
    input:
        grids=lambda wildcards: [paths.grid(figure) for figure in plan.checks[wildcards.source]],
        printed=lambda wildcards: plan.sources[wildcards.source].published,
    output:
        table="results/published/{source}.csv",
        text="results/published/{source}.txt",
        piece="results/.ledger/check_published/{source}.json",
    log:
        LOGS + "/check_published/{source}.log",
    localrule: True
    params:
        settings=lambda wildcards: plan.settings("check_published", wildcards.source),
        code=ledger.code("check_published"),
    script:
        "../scripts/check_published.py"
