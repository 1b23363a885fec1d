# numbers
#
# in    results/grids/{figure}.parquet
#       results/tables/{source}/*.parquet     samples: the lines behind each cell
#       results/counts/{source}/*.parquet     their partial aggregates
# out   results/tables/{figure}.{csv,tex}     the numbers behind each figure
#       results/tables/{figure}.json          what the gallery tells of each, and the lines behind it
#
# Batches, as for aggregate. No picture waits for these.

for batch, names in plan.batches.items():

    rule:
        name:
            f"numbers_{batch}"
        input:
            plan.tables(*names),
            plan.counts(*names),
            grids=expand("results/grids/{figure}.parquet", figure=names),
        output:
            csv=expand("results/tables/{figure}.csv", figure=names),
            tex=expand("results/tables/{figure}.tex", figure=names),
            json=expand("results/tables/{figure}.json", figure=names),
        log:
            f"{LOGS}/numbers/{batch}.log",
        benchmark:
            f"{BENCHMARKS}/numbers/{batch}.tsv"
        group:
            lambda wildcards, batch=batch: group_of(batch)
        resources:
            mem_mb=asking.memory(f"{LOGS}/numbers/{batch}.log", 500),
            runtime=asking.minutes(f"{LOGS}/numbers/{batch}.log", 5),
        params:
            **plan.numbers_params(names),
        script:
            "../scripts/numbers.py"
