# aggregate
#
# in    results/tables/{source}/*.parquet     samples
#       results/counts/{source}/*.parquet     their partial aggregates, mostly all that is looked at
# out   results/grids/{figure}.parquet        a row per cell (heatmap) or bin (pairwise)


rule aggregate:
    """Aggregate the samples of {wildcards.figure} to its grid."""
    input:
        tables=lambda wildcards: plan.tables(wildcards.figure),
        counts=lambda wildcards: plan.counts(wildcards.figure),
    output:
        "results/grids/{figure}.parquet",
    log:
        "results/log/aggregate/{figure}.log",
    benchmark:
        "results/benchmark/aggregate/{figure}.tsv"
    group:
        lambda wildcards: group_of(plan.batch_of(wildcards.figure))
    resources:
        mem_mb=lambda wildcards, attempt: 500 * 2**attempt,
        runtime=lambda wildcards, attempt: 5 * 4 ** (attempt - 1),
    params:
        entry=lambda wildcards: plan.aggregate_params(**wildcards)["entry"],
        tables=lambda wildcards: plan.aggregate_params(**wildcards)["tables"],
        code=lambda wildcards: plan.aggregate_params(**wildcards)["code"],
    script:
        "../scripts/aggregate.py"
