# aggregate
#
# in    results/tables/{source}/*.parquet     samples
# out   results/grids/{figure}.parquet        a row per cell (heatmap) or bin (pairwise)


rule aggregate:
    """Aggregate the samples of {wildcards.figure} to its grid."""
    input:
        tables=lambda wildcards: plan.tables(wildcards.figure),
    output:
        "results/grids/{figure}.parquet",
    params:
        entry=lambda wildcards: plan.aggregate_params(**wildcards)["entry"],
        tables=lambda wildcards: plan.aggregate_params(**wildcards)["tables"],
        code=lambda wildcards: plan.aggregate_params(**wildcards)["code"],
    log:
        "results/log/aggregate/{figure}.log",
    benchmark:
        "results/benchmark/aggregate/{figure}.tsv"
    script:
        "../scripts/aggregate.py"
