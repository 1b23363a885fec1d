# export
#
# in    results/specs/{figure}.vl.json
# out   results/figures/{figure}.{svg,pdf,png,html}
#       results/vega.js                       the drawing library that every page carries inside


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


# Outputs cannot depend on wildcards: figures that ask for the same formats share a rule.
for formats, names in plan.formats().items():

    rule:
        name:
            f"export_{'_'.join(formats)}"
        input:
            spec="results/specs/{figure}.vl.json",
            library="results/vega.js" if "html" in formats else [],
        output:
            expand("results/figures/{{figure}}.{format}", format=formats),
        params:
            spec=lambda wildcards: plan.export_params(**wildcards)["spec"],
            code=lambda wildcards: plan.export_params(**wildcards)["code"],
        log:
            "results/log/export/{figure}.log",
        benchmark:
            "results/benchmark/export/{figure}.tsv"
        wildcard_constraints:
            figure="|".join(map(re.escape, names)),
        script:
            "../scripts/export.py"
