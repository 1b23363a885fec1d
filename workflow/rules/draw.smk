# draw
#
# in    results/grids/{figure}.parquet
# out   results/specs/{figure}.vl.json        Vega-Lite, data and provenance record inside
#
# Loading Altair takes as long as drawing two figures: a job draws a batch of them. Outputs cannot
# depend on wildcards, so each batch is a rule.

for batch, names in plan.batches.items():

    rule:
        name:
            f"draw_{batch}"
        input:
            expand("results/grids/{figure}.parquet", figure=names),
        output:
            expand("results/specs/{figure}.vl.json", figure=names),
        params:
            **plan.draw_params(names),
        log:
            f"results/log/draw/{batch}.log",
        benchmark:
            f"results/benchmark/draw/{batch}.tsv"
        script:
            "../scripts/draw.py"
