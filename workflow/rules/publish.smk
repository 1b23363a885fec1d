# publish
#
# in    tables, grids, specs, figures and numbers of all stages before
# out   results/printed/{source}.{csv,txt}    counted ↔ printed by the harness beside the logs
#       results/figures.json                  figure, its id, a digest of its pixels
#       results/index.html                    the gallery
#       results/summary.{json,txt}            what went in, what was refused and why
#       results/README.md                     what lies in the results


# Logs, and what lies beside them, are known by digests in `params`, as in normalize.


rule compare_printed:
    """Compare what the harness printed beside the logs of {wildcards.source} with its samples."""
    input:
        samples=lambda wildcards: plan.tables_of(wildcards.source),
        manifests=lambda wildcards: [
            paths.manifest(table) for table in plan.tables_of(wildcards.source)
        ],
    output:
        "results/printed/{source}.csv",
        "results/printed/{source}.txt",
    log:
        LOGS + "/compare_printed/{source}.log",
    localrule: True
    params:
        given=lambda wildcards: plan.printed_params(wildcards.source),
    script:
        "../scripts/compare_printed.py"


rule pictures:
    """Write down by what a figure is known that has lost its record."""
    input:
        plan.files(),
        plan.specs(),
    output:
        manifest.PICTURES,
    log:
        f"{LOGS}/pictures.log",
    priority: 1  # takes the longest of what comes after the figures
    localrule: True
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
        rejected=[paths.rejected(path) for path in plan.samples()],
        numbers=plan.numbers(),
        printed=plan.printed_by_harness(),
        counts=plan.expectant(),
    output:
        "results/index.html",
        "results/README.md",
        paths.SUMMARY,
    log:
        f"{LOGS}/gallery.log",
    localrule: True
    params:
        **plan.gallery_params(),
    script:
        "../scripts/gallery.py"
