# draw
#
# in    results/grids/{figure}.parquet
#       results/grids/{figure}.json           what lies behind each cell
# out   results/specs/{figure}.vl.json        Vega-Lite, data and provenance record inside
#       results/figures/{figure}.{svg,pdf,png,html,outlined.svg,light.html}   from that spec alone
#       results/tables/{figure}.tex           the numbers as a LaTeX table
#       results/tables/{figure}.json          what the gallery tells of the figure
#       results/figures/{figure}.caption.{tex,md}   what to paste below the figure
#       results/vega.js                       the drawing library that every page carries inside
#
# Outputs cannot depend on wildcards: figures of other formats are drawn by a rule of their own,
# such as `draw_pdf_svg`, and `draw` then stands for all of them.


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


def reported(path):
    """A file as `snakemake --report` shows it: the SVG stands for a figure."""
    return report(
        path,
        caption="../report/figure.rst",
        category=lambda wildcards: plan.figures[wildcards.figure].kind,
        subcategory=lambda wildcards: plan.figures[wildcards.figure].source,
        labels=lambda wildcards: plan.labels(wildcards.figure),
    )


drawn = plan.formats()
for formats, names in drawn.items():

    rule:
        name:
            "draw" if len(drawn) == 1 else f"draw_{'_'.join(formats).replace('-', '_')}"
        input:
            grid="results/grids/{figure}.parquet",
            behind="results/grids/{figure}.json",
            library=["results/vega.js"] if plan.has_pages(names) else [],
        output:
            spec="results/specs/{figure}.vl.json",
            files=[
                (reported if form == "svg" else str)(paths.picture("{figure}", form))
                for form in formats
            ],
            tex="results/tables/{figure}.tex",
            page="results/tables/{figure}.json",
            captions=[f"results/figures/{{figure}}.caption.{form}" for form in paths.CAPTIONS],
        log:
            LOGS + "/draw/{figure}.log",
        benchmark:
            BENCHMARKS + "/draw/{figure}.tsv"
        wildcard_constraints:
            figure="|".join(map(re.escape, names)),
        priority: 2
        group:
            build.group("figures")
        resources:
            mem_mb=asking.memory(LOGS + "/draw/{figure}.log", 1000),
            runtime=asking.minutes(LOGS + "/draw/{figure}.log", 5),
        params:
            given=lambda wildcards: plan.draw_params(wildcards.figure),
        script:
            "../scripts/draw.py"


if len(drawn) > 1:

    rule draw:
        input:
            plan.files(),
        localrule: True
