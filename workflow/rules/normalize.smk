# normalize
#
# in    data/…                                        raw logs, never written to
# out   results/tables/{source}/{shard}.parquet            a row per graded sample
#       results/tables/{source}/{shard}.rejected.parquet   a row per refused record
#       results/counts/{source}/{shard}.parquet            a row per run and problem: partial
#                                                          aggregates; what each log holds
#       results/tables/{source}/{shard}.logs.csv           a line per log: digest, records, rows, rejected
#
# Logs are no inputs to Snakemake: `given` has their digest, so that an edit is seen that keeps the
# time, a touch is not, and ten thousand logs cost ten thousand stats, no more. A shard is what a
# job reads: about a thousand short logs, which take about as long as it takes to start a job.
# In a module, those that are named in full are inputs: rules of the other workflow may make them.


rule normalize:
    """Read the logs of {wildcards.source}, shard {wildcards.shard}."""
    input:
        logs=lambda wildcards: [
            local(path) for path in build.made(wildcards.source, wildcards.shard)
        ],
    output:
        samples="results/tables/{source}/{shard}.parquet",
        rejected="results/tables/{source}/{shard}.rejected.parquet",
        counts="results/counts/{source}/{shard}.parquet",
        manifest="results/tables/{source}/{shard}.logs.csv",
    log:
        LOGS + "/normalize/{source}/{shard}.log",
    benchmark:
        BENCHMARKS + "/normalize/{source}/{shard}.tsv"
    priority: 9
    group:
        build.group("tables")
    resources:
        mem_mb=asking.memory(LOGS + "/normalize/{source}/{shard}.log", 1000),
        runtime=asking.minutes(LOGS + "/normalize/{source}/{shard}.log", 10, "tables"),
    params:
        given=lambda wildcards: plan.normalize_params(wildcards.source, wildcards.shard),
    script:
        "../scripts/normalize.py"
