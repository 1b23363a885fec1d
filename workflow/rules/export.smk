# export
#
# in    results/specs/{figure}.vl.json
# out   results/figures/{figure}.{svg,pdf,png,html}
#       results/vega.js                       the drawing library that every page carries inside
#
# Starting the renderer takes as long as rendering two figures: batches, as for draw.


rule bundle:
    """Bundle the drawing library once for all pages."""
    output:
        "results/vega.js",
    params:
        code=plan.code("bundle"),
    log:
        "results/log/bundle.log",
    script:
        "../scripts/bundle.py"


for batch, names in plan.batches.items():

    rule:
        name:
            f"export_{batch}"
        input:
            specs=expand("results/specs/{figure}.vl.json", figure=names),
            library="results/vega.js" if plan.has_pages(names) else [],
        output:
            [path for figure in names for path in plan.files_of(figure)],
        params:
            **plan.export_params(names),
        log:
            f"results/log/export/{batch}.log",
        benchmark:
            f"results/benchmark/export/{batch}.tsv"
        script:
            "../scripts/export.py"
