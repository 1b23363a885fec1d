# aggregate
#
# in    results/tables/{source}/*.parquet     samples
#       results/counts/{source}/*.parquet     their partial aggregates, mostly all that is looked at,
#                                             and what each log holds
# out   results/grids/{figure}.parquet        a row per cell (heatmap) or bin (pairwise)
#       results/grids/{figure}.json           what lies behind each: records by their places, counts
#       results/tables/{figure}.csv           the grid, to be read elsewhere


rule aggregate:
    """Count what figure {wildcards.figure} shows."""
    input:
        tables=lambda wildcards: plan.tables(wildcards.figure),
        counts=lambda wildcards: plan.counts(wildcards.figure),
    output:
        grid="results/grids/{figure}.parquet",
        behind="results/grids/{figure}.json",
        csv="results/tables/{figure}.csv",
    log:
        LOGS + "/aggregate/{figure}.log",
    benchmark:
        BENCHMARKS + "/aggregate/{figure}.tsv"
    priority: 8
    group:
        build.group("figures")
    resources:
        mem_mb=asking.memory(LOGS + "/aggregate/{figure}.log", 1000),
        runtime=asking.minutes(LOGS + "/aggregate/{figure}.log", 5),
    params:
        given=lambda wildcards: plan.aggregate_params(wildcards.figure),
    script:
        "../scripts/aggregate.py"
