# aggregate
#
# in    results/tables/{source}/*.parquet     samples
#       results/counts/{source}/*.parquet     their partial aggregates, which most figures need alone,
#                                             and what each log holds
#       results/tables/{source}/*.rejected.parquet, *.logs.csv     refused records: are there too many?
# out   results/grids/{figure}.parquet        a row per cell (heatmap) or bin (pairwise)
#       results/grids/{figure}.json           what lies behind each: records by their places, counts
#       results/tables/{figure}.csv           the grid, for other programs


rule aggregate:
    """Count what figure {wildcards.figure} shows."""
    input:
        shards=lambda wildcards: plan.shards_of(plan.figures[wildcards.figure].source),
    output:
        grid="results/grids/{figure}.parquet",
        behind="results/grids/{figure}.json",
        csv="results/tables/{figure}.csv",
        piece="results/.ledger/aggregate/{figure}.json",
    log:
        LOGS + "/aggregate/{figure}.log",
    priority: 8
    group:
        together("figures")
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 5 if attempt == 1 else 20,
    params:
        tables=lambda wildcards: plan.tables_of(plan.figures[wildcards.figure].source),
        settings=lambda wildcards: plan.settings("aggregate", wildcards.figure),
        code=ledger.code("aggregate"),
    run:
        worker.run("aggregate", input, output, params, log)
