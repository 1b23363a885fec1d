# left_out
#
# in    the mistakes for which figures were left out (--keep-going)
# out   nothing: it fails, so that a run which left something out is not taken for a whole one


rule left_out:
    """Tell what was left out, and why."""
    output:
        build.left_out,
    log:
        f"{LOGS}/left_out.log",
    priority: -1  # its words are to be the last
    localrule: True
    params:
        told=plan.left_out.lines(),
    script:
        "../scripts/left_out.py"
