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
        LOGS + "/reconstruct/{source}.log",
    priority: 8
    localrule: True
    params:
        logs=lambda wildcards: plan.reconstruct_params(wildcards.source),
    script:
        "../scripts/reconstruct.py"


# Reading a hundred small logs takes less time than to start a job: one job for a batch of shards.
# Within it, shards of which nothing changed are left alone.

for source, batch, shards in plan.read_together:

    rule:
        name:
            f"normalize_{source}_{batch}"
        input:
            plan.made_logs(source),
        output:
            samples=expand(f"results/tables/{source}/{{shard}}.parquet", shard=shards),
            rejected=expand(f"results/tables/{source}/{{shard}}.rejected.parquet", shard=shards),
            counts=expand(f"results/counts/{source}/{{shard}}.parquet", shard=shards),
            manifest=expand(f"results/tables/{source}/{{shard}}.logs.csv", shard=shards),
        log:
            f"{LOGS}/normalize/{source}/{batch}.log",
        benchmark:
            f"{BENCHMARKS}/normalize/{source}/{batch}.tsv"
        priority: 9
        group:
            lambda wildcards: None if workflow.local_exec else "tables"
        resources:
            mem_mb=asking.memory(f"{LOGS}/normalize/{source}/{batch}.log", 1000),
            runtime=asking.minutes(f"{LOGS}/normalize/{source}/{batch}.log", 10, "tables"),
        params:
            **plan.normalize_params(source, shards),
        script:
            "../scripts/normalize.py"
