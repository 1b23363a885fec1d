# draw
#
# in    results/grids/{figure}.parquet
#       results/grids/{figure}.json           what lies behind each cell
# out   results/specs/{figure}.vl.json        Vega-Lite, data and provenance record inside
#       results/figures/{figure}.{svg,pdf,png,html,outlined.svg}   from that spec alone
#       results/tables/{figure}.tex           the numbers as a LaTeX table
#       results/tables/{figure}.json          the figure in words, for the gallery
#       results/pages/{figure}.js             the same, as the gallery loads it
#       results/figures/{figure}.caption.{tex,md}   what to paste below the figure
#       results/vega.js                       the drawing library that every page carries inside


rule bundle:
    """Bundle the drawing library once for all pages."""
    output:
        library=paths.LIBRARY,
        piece="results/.ledger/bundle/vega.json",
    log:
        f"{LOGS}/bundle.log",
    priority: 7
    localrule: True
    params:
        settings={},
        code=ledger.code("bundle"),
    run:
        worker.run("bundle", input, output, params, log)


def reported(path):
    """A figure in `snakemake --report`, for which its SVG stands."""
    return report(
        path,
        caption="../report/figure.rst",
        category=lambda wildcards: plan.figures[wildcards.figure].kind,
        subcategory=lambda wildcards: plan.figures[wildcards.figure].source,
        labels=lambda wildcards: plan.labels(wildcards.figure),
    )


# Outputs cannot depend on wildcards: figures of other formats have a rule of their own,
# such as `draw_pdf_svg`, and `draw` then stands for all of them.
drawn = plan.formats()
for formats, names in drawn.items():

    rule:
        name:
            "draw" if len(drawn) == 1 else f"draw_{'_'.join(formats).replace('-', '_')}"
        input:
            grid="results/grids/{figure}.parquet",
            behind="results/grids/{figure}.json",
            library=[ledger.place("bundle vega")] if "html" in formats else [],
            fonts=lambda wildcards: plan.font_files(wildcards.figure),
        output:
            spec="results/specs/{figure}.vl.json",
            files=[
                (reported if form == "svg" else str)(paths.picture("{figure}", form))
                for form in formats
            ],
            tex="results/tables/{figure}.tex",
            page="results/tables/{figure}.json",
            script="results/pages/{figure}.js",
            captions=[f"results/figures/{{figure}}.caption.{form}" for form in paths.CAPTIONS],
            piece="results/.ledger/draw/{figure}.json",
        log:
            LOGS + "/draw/{figure}.log",
        wildcard_constraints:
            figure="|".join(map(re.escape, names)),
        priority: 2
        group:
            together("figures")
        resources:
            mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
            runtime=lambda wildcards, attempt: 5 if attempt == 1 else 20,
        params:
            settings=lambda wildcards: plan.settings("draw", wildcards.figure),
            code=ledger.code("draw"),
        run:
            worker.run("draw", input, output, params, log)


if len(drawn) > 1:

    rule draw:
        input:
            plan.outputs("draw"),
        localrule: True
