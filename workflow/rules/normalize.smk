# normalize
#
# in    data/…                                        raw logs, never written to
# out   results/tables/{source}/{shard}.parquet            a row per graded sample
#       results/tables/{source}/{shard}.rejected.parquet   a row per refused record
#       results/counts/{source}/{shard}.parquet            a row per run and problem: partial
#                                                          aggregates; what each log holds
#       results/tables/{source}/{shard}.logs.csv           a line per log: digest, records, rows, rejected
#
# Logs are no inputs to Snakemake: `params.logs` is their digest, so that an edit is seen that keeps
# the time, a touch is not, and ten thousand logs cost ten thousand stats, no more.


rule reconstruct:
    """Write per-run logs whose counts are the digits printed in {input}."""
    input:
        lambda wildcards: local(ancient(plan.sources[wildcards.source].reconstruct)),
    output:
        directory("results/reconstructed/{source}"),
    log:
        "results/log/reconstruct/{source}.log",
    priority: 8
    params:
        logs=lambda wildcards: plan.reconstruct_params(wildcards.source),
    script:
        "../scripts/reconstruct.py"


rule normalize:
    """Read the logs of {wildcards.source} that fall into shard {wildcards.shard}."""
    input:
        lambda wildcards: plan.made_logs(wildcards.source),
    output:
        samples="results/tables/{source}/{shard}.parquet",
        rejected="results/tables/{source}/{shard}.rejected.parquet",
        counts="results/counts/{source}/{shard}.parquet",
        manifest="results/tables/{source}/{shard}.logs.csv",
    log:
        "results/log/normalize/{source}/{shard}.log",
    benchmark:
        "results/benchmark/normalize/{source}/{shard}.tsv"
    priority: 9
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 10 * 4 ** (attempt - 1),
    params:
        entry=lambda wildcards: plan.normalize_params(**wildcards)["entry"],
        logs=lambda wildcards: plan.normalize_params(**wildcards)["logs"],
        code=lambda wildcards: plan.normalize_params(**wildcards)["code"],
    script:
        "../scripts/normalize.py"
