# normalize
#
# in    data/…                                        raw logs, never written to
#       pieces of the shards that {source} joins, instead of reading their logs again
# out   results/tables/{source}/{shard}.parquet            a row per graded sample
#       results/tables/{source}/{shard}.rejected.parquet   a row per refused record
#       results/counts/{source}/{shard}.parquet            a row per run and problem: partial
#                                                          aggregates; what each log holds
#       results/tables/{source}/{shard}.logs.csv           a line per log: digest, records, rows, rejected
#
# Snakemake hashes all inputs of a rule once for each of its outputs: of a shard it knows the samples
# and the piece, which names the other files.


rule normalize:
    """Read the logs of {wildcards.source}, shard {wildcards.shard}."""
    input:
        logs=lambda wildcards: plan.logs[wildcards.source][wildcards.shard],
        sidecars=lambda wildcards: plan.sidecars(wildcards.source, wildcards.shard),
        joined=lambda wildcards: plan.joined_shard(wildcards.source, wildcards.shard),
    output:
        samples="results/tables/{source}/{shard}.parquet",
        piece="results/.ledger/normalize/{source}/{shard}.json",
    log:
        LOGS + "/normalize/{source}/{shard}.log",
    priority: 9
    group:
        together("tables")
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 if attempt == 1 else 40,
    params:
        settings=lambda wildcards: plan.settings("normalize", wildcards.source),
        upstream=plan.upstream,
        code=ledger.code("normalize"),
    run:
        worker.run("normalize", input, output, params, log)
