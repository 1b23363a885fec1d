# draw
#
# in    results/grids/{figure}.parquet
# out   results/specs/{figure}.vl.json        Vega-Lite, data and provenance record inside
#
# Loading Altair takes as long as drawing two figures: batches, as for aggregate.

for batch, names in plan.batches.items():

    rule:
        name:
            f"draw_{batch}"
        input:
            expand("results/grids/{figure}.parquet", figure=names),
        output:
            expand("results/specs/{figure}.vl.json", figure=names),
        log:
            f"{LOGS}/draw/{batch}.log",
        benchmark:
            f"{BENCHMARKS}/draw/{batch}.tsv"
        priority: len(names)
        group:
            lambda wildcards, batch=batch: group_of(batch)
        resources:
            mem_mb=asking.memory(f"{LOGS}/draw/{batch}.log", 500),
            runtime=asking.minutes(f"{LOGS}/draw/{batch}.log", 5),
        params:
            **plan.draw_params(names),
        script:
            "../scripts/draw.py"
