# draw
#
# in    results/grids/{figure}.parquet
# out   results/specs/{figure}.vl.json        Vega-Lite, data and provenance record inside


rule draw:
    """Draw {wildcards.figure} as a Vega-Lite spec."""
    input:
        grid="results/grids/{figure}.parquet",
    output:
        "results/specs/{figure}.vl.json",
    params:
        entry=lambda wildcards: plan.draw_params(**wildcards)["entry"],
        grid=lambda wildcards: plan.draw_params(**wildcards)["grid"],
        code=lambda wildcards: plan.draw_params(**wildcards)["code"],
    log:
        "results/log/draw/{figure}.log",
    benchmark:
        "results/benchmark/draw/{figure}.tsv"
    script:
        "../scripts/draw.py"
