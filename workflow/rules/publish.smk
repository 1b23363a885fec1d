# publish
#
# in    tables, grids, specs, figures and numbers of all stages before
# out   results/printed/{source}.csv          counted ↔ printed by the harness beside the logs
#       results/values.{tex,json}             the numbers of figures by name, for papers
#       results/index.html                    the gallery
#       results/summary.{json,txt}            read and refused records
#       results/ledger.json                   inputs and outputs of each job


rule compare_printed:
    """Compare what the harness printed beside the logs of {wildcards.source} with its samples."""
    input:
        shards=lambda wildcards: plan.shards_of(wildcards.source),
        printed=lambda wildcards: plan.printed_in(wildcards.source),
    output:
        table="results/printed/{source}.csv",
        piece="results/.ledger/compare_printed/{source}.json",
    log:
        LOGS + "/compare_printed/{source}.log",
    localrule: True
    params:
        tables=lambda wildcards: plan.tables_of(wildcards.source),
        settings=lambda wildcards: plan.settings("normalize", wildcards.source),
        code=ledger.code("compare_printed"),
    run:
        worker.run("compare_printed", input, output, params, log)


rule values:
    """Name the numbers of all figures for papers."""
    input:
        grids=[paths.grid(name) for name in plan.figures],
        behind=[paths.behind(name) for name in plan.figures],
        specs=[paths.spec(name) for name in plan.figures],
    output:
        tex=paths.VALUES[0],
        json=paths.VALUES[1],
        piece="results/.ledger/values/numbers.json",
    log:
        f"{LOGS}/values.log",
    localrule: True
    params:
        settings=plan.settings("values", "numbers"),
        code=ledger.code("values"),
    run:
        worker.run("values", input, output, params, log)


rule gallery:
    """Show all figures on one page, and behind each cell the lines of the logs."""
    input:
        plan.pieces("normalize", "draw", "compare_printed"),
    output:
        page=paths.PAGE,
        summary=paths.SUMMARY,
        piece="results/.ledger/gallery/page.json",
    log:
        f"{LOGS}/gallery.log",
    localrule: True
    params:
        settings=plan.settings("gallery", "page"),
        upstream=plan.upstream,
        code=ledger.code("gallery"),
    run:
        worker.run("gallery", input, output, params, log)


rule ledger:
    """Join the pieces of all jobs."""
    input:
        plan.pieces(),
    output:
        ledger.LEDGER,
    log:
        f"{LOGS}/ledger.log",
    localrule: True
    params:
        build={"config": plan.raw, "upstream": plan.upstream},
    run:
        worker.run("ledger", input, output, params, log)
