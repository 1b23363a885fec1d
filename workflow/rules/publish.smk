# publish
#
# in    tables, grids, specs and figures of all stages before
# out   results/tables/{figure}.{csv,tex}     the numbers behind each figure
#       results/tables/{figure}.json          what the gallery tells of each, and the lines behind it
#       results/published/{source}.{csv,txt}  computed ↔ printed digits, where digits were printed
#       results/figures.json                  figure, its id, a digest of its pixels
#       results/index.html                    the gallery
#       results/README.md                     what lies in the results


rule numbers:
    """Write the numbers behind every figure as CSV, as LaTeX tables, and with the lines behind them."""
    input:
        plan.samples(),
        plan.counts(*plan.figures),
        grids=plan.grids(),
    output:
        csv=expand("results/tables/{figure}.csv", figure=plan.figures),
        tex=expand("results/tables/{figure}.tex", figure=plan.figures),
        json=expand("results/tables/{figure}.json", figure=plan.figures),
    log:
        "results/log/numbers.log",
    params:
        **plan.numbers_params(),
    script:
        "../scripts/numbers.py"


rule check_published:
    """Compare every cell made from {wildcards.source} with the printed digit."""
    input:
        grids=lambda wildcards: expand(
            "results/grids/{figure}.parquet", figure=plan.compared(wildcards.source)
        ),
        cells=lambda wildcards: local(ancient(plan.sources[wildcards.source].reconstruct)),
        means=lambda wildcards: local(ancient(plan.sources[wildcards.source].means or [])),
    output:
        "results/published/{source}.csv",
        "results/published/{source}.txt",
    log:
        "results/log/check_published/{source}.log",
    params:
        entries=lambda wildcards: plan.check_params(**wildcards)["entries"],
        grids=lambda wildcards: plan.check_params(**wildcards)["grids"],
        printed=lambda wildcards: plan.check_params(**wildcards)["printed"],
        code=lambda wildcards: plan.check_params(**wildcards)["code"],
    script:
        "../scripts/check_published.py"


rule pictures:
    """Write down by what a figure is known that has lost its record."""
    input:
        plan.files(),
        plan.specs(),
    output:
        artefacts.PICTURES,
    log:
        "results/log/pictures.log",
    params:
        **plan.pictures_params(),
    script:
        "../scripts/pictures.py"


rule gallery:
    """Show all figures on one page, and behind each cell the lines of the logs."""
    input:
        plan.files(),
        plan.specs(),
        manifests=plan.manifests(),
        numbers=rules.numbers.output,
    output:
        "results/index.html",
        "results/README.md",
    log:
        "results/log/gallery.log",
    params:
        **plan.gallery_params(),
    script:
        "../scripts/gallery.py"
