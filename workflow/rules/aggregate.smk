# aggregate
#
# in    results/tables/{source}/*.parquet     samples
#       results/counts/{source}/*.parquet     their partial aggregates, mostly all that is looked at,
#                                             and what each log holds
# out   results/grids/{figure}.parquet        a row per cell (heatmap) or bin (pairwise)
#
# A job starts as long as it works: one job for a batch of figures. Outputs cannot depend on
# wildcards, so each batch is a rule. Within it, figures of which nothing changed are left alone: a
# grid is known by the logs that it shows, not by the tables that these share with others.
# Where one cannot be made, a mark stands in its place until the run ends (`proof/failed.py`).

for batch, names in plan.batches.items():

    rule:
        name:
            f"aggregate_{batch}"
        input:
            tables=plan.tables(*names),
            counts=plan.counts(*names),
        output:
            expand("results/grids/{figure}.parquet", figure=names),
        log:
            f"{LOGS}/aggregate/{batch}.log",
        benchmark:
            f"{BENCHMARKS}/aggregate/{batch}.tsv"
        priority: 8
        group:
            lambda wildcards, batch=batch: group_of(batch)
        resources:
            mem_mb=asking.memory(f"{LOGS}/aggregate/{batch}.log", 1000),
            runtime=asking.minutes(f"{LOGS}/aggregate/{batch}.log", 5),
        params:
            **plan.aggregate_params(names),
        script:
            "../scripts/aggregate.py"
