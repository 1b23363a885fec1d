# export
#
# in    results/specs/{figure}.vl.json
# out   results/figures/{figure}.{svg,pdf,png,html}
#       results/vega.js                       the drawing library that every page carries inside
#
# Starting the renderer takes as long as rendering two figures: batches again.


rule bundle:
    """Bundle the drawing library once for all pages."""
    output:
        "results/vega.js",
    log:
        f"{LOGS}/bundle.log",
    priority: 7
    localrule: True
    params:
        code=plan.code("bundle"),
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
            [
                report(path, **plan.reported(path)) if plan.reported(path) else path
                for figure in names
                for path in plan.files_of(figure)
            ],
        log:
            f"{LOGS}/export/{batch}.log",
        benchmark:
            f"{BENCHMARKS}/export/{batch}.tsv"
        priority: len(names)
        group:
            lambda wildcards, batch=batch: group_of(batch)
        resources:
            mem_mb=asking.memory(f"{LOGS}/export/{batch}.log", 1000),
            runtime=asking.minutes(f"{LOGS}/export/{batch}.log", 5),
        params:
            **plan.export_params(names),
        script:
            "../scripts/export.py"
