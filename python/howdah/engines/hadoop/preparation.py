"""Preparation of a run on a Hadoop cluster: a lab, or the user's own."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Unpack

from howdah.engines.base import Prepared, RunStart, new_job
from howdah.engines.hadoop.command import check_settings
from howdah.engines.hadoop.engine import HadoopEngine
from howdah.engines.hadoop.ledger_clients import HdfsClients
from howdah.engines.hadoop.reached import Reached, reach_cluster, reach_lab, running_lab
from howdah.engines.hadoop.target import DEADLINE_S, HadoopTarget
from howdah.engines.hadoop.user_command import added_to
from howdah.engines.lab_runs import check_one_cluster, chosen_lab, on_lab, requested_faults
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.faults.player import FaultPlayer
from howdah.hadoop.config_files import shown_value
from howdah.installation.installation import find_spark
from howdah.installation.java_programs import spark_programs
from howdah.model.engines import CONF, DEADLINE, HADOOP, HDFS_DIR, PLAN, QUEUE, SET
from howdah.model.placement import at_once
from howdah.model.run_request import RunRequest
from howdah.model.tables import Job
from howdah.model.workloads.hadoop_programs import Redundancy, UserCommand
from howdah.model.workloads.spark import OnSpark
from howdah.model.workloads.terasort import CODEC, Codec
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import requested_programs, suite_line
from howdah.probe import probe_host
from howdah.services.conf import CONF_DIR, conf_directory
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode

_LACKING = {Codec.LZ4: "lz4-java", Codec.ZSTD: "Hadoop's native library"}
"""Jars that codecs need in addition to Hadoop's own, since 3.3.1 (HADOOP-17292)."""


def prepare_cluster(request: RunRequest, **start: Unpack[RunStart]) -> Prepared:
    """Reach the cluster and return the prepared job; raise UserError for mistakes, or without a cluster."""
    programs = requested_programs(request, HadoopEngine.name)
    for program in programs:
        check_extras(f"SUITE {request.suite}", *program.extras)
    settings = request.of(SET)
    job_settings = dict(settings or ())
    for key, value in job_settings.items():
        # The record and `ps` show the command line.
        if shown_value(key, value) != value:
            hint = "put it into the client's configuration, or name a credential provider there"
            raise UserError(f"--set {key}", "is a secret, which the run's record and `ps` would expose", hint)
    # A command of the user's has none of the programs' flags.
    check_settings(job_settings, flags=UserCommand not in programs)
    try:
        reached, player = _reach(request)
        web, conf = reached.target.web, reached.target.conf
        work_dir = request.of(HDFS_DIR) or posixpath.join(NameNode(web, conf).home(), "howdah")
    except ServiceError as error:
        raise UserError(error.where, error.what, error.hint) from error
    codec = request.of(CODEC)
    if reached.state is not None and reached.state.jars.fetched and codec in _LACKING:
        problem = f"needs {_LACKING[codec]}, which the fetched Hadoop does not contain"
        hint = "use snappy, or a lab on a Hadoop of yours that has it (HADOOP_HOME)"
        raise UserError(f"--codec {codec}", problem, hint)
    on_spark = any(issubclass(program, OnSpark) for program in programs)
    spark = spark_programs(find_spark(), reached.target.installation) if on_spark else None
    sized = size_suite(request, at_once(reached.plan, job_settings), plan=reached.plan)
    plan = reached.plan.model_copy(update={"settings": (*reached.plan.settings, *sized.settings)})
    queue = request.of(QUEUE) or conf.explicit("mapreduce.job.queuename") or "default"
    target = replace(reached.target, work_dir=work_dir, queue=queue, job_settings=job_settings, spark=spark)
    target = replace(target, deadline_s=request.of(DEADLINE) or DEADLINE_S)
    job = new_job(sized.suite, plan, probe_host(), sample_interval_s=sized.sample_interval_s, **start)
    commands = [workload for workload in job.suite.workloads if isinstance(workload, UserCommand)]
    added = [line for command in commands for line in added_to(target, command.words, job.run_id).lines()]
    engine = HadoopEngine(target)
    # Data of other clients would count as rebuilt.
    alone = any(issubclass(program, Redundancy) for program in programs)
    clients = HdfsClients(target, start["runs_dir"]) if player and not alone else None
    return Prepared(
        job=job,
        engine=on_lab(engine, reached.state, player, clients),
        introduction=(
            ("cluster", reached.line),
            ("plan", suite_line(sized.suite)),
            *(("adds", line) for line in added),
        ),
        kept=partial(kept, target, job),
        close=reached.close,
    )


def _reach(request: RunRequest) -> tuple[Reached, FaultPlayer | None]:
    check_one_cluster(request)
    state = chosen_lab(request, HADOOP, CONF_DIR, running_lab)
    player = requested_faults(request, state)
    if state is not None:
        return reach_lab(state), player
    directory = conf_directory(request.of(CONF))
    if directory is None:
        hint = "give --conf DIR or set HADOOP_CONF_DIR, or build a lab: howdah lab up plan.yaml"
        raise UserError("--engine hadoop", "there is no cluster to run on", hint)
    return reach_cluster(directory, request.of(PLAN)), None


def kept(target: HadoopTarget, job: Job) -> Mapping[str, Sequence[str]]:
    """Return the directory in HDFS with kept data, and the names in it; empty if HDFS no longer answers."""
    path = posixpath.join(target.work_dir, job.run_id)
    namenode = NameNode(target.web, target.conf)
    with suppress(ServiceError):
        if job.keep_data and namenode.stat(path) is not None:
            names = sorted(status.name for status in namenode.list(path) if status.is_directory)
            return {f"HDFS {path}": names}
    return {}
