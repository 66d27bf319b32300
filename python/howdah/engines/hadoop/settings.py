"""Properties of the jobs that a user may not set so: they have a flag, a run needs them, or are no value."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.errors import UserError
from howdah.releases import default_of, hadoop

_FLAGS = {
    "dfs.blocksize": "--block-size",
    "dfs.replication": "--replication",
    "mapreduce.job.maps": "--maps",
    "mapreduce.job.queuename": "--queue",
    "mapreduce.job.reduce.slowstart.completedmaps": "--slowstart",
    "mapreduce.job.reduces": "--reduces",
    "mapreduce.terasort.num-rows": "--rows",
    "mapreduce.terasort.output.replication": "--output-replication",
    "mapreduce.terasort.partitions.sample": "--partition-samples",
}
"""What the record says of a run: a property would make it say something else than what ran."""
_OWN = {
    "dfs.user.home.dir.prefix": "keeps what jobs write in the run's directory",
    "fs.defaultFS": "is that of the cluster that was looked at",
    "mapreduce.framework.name": "must be yarn",
    "mapreduce.job.tags": "tells which jobs are the run's",
    "yarn.app.mapreduce.am.staging-dir": "keeps what jobs write in the run's directory",
}


def check_settings(settings: Mapping[str, str]) -> None:
    """Raise UserError for a property of ``--set`` that is not the user's, or that Hadoop could not read.

    A cluster may know properties of its own; only a name that is nearly one of Hadoop's is taken for it,
    misspelt: no program would read it, and the run would say that it was set.
    """
    release = hadoop()
    for given, value in settings.items():
        for key in release.replacement(given) or (given,):
            if misfit := release.misfit(key, value):
                raise UserError(
                    f"--set {given}", f"{value!r} {misfit}", f"the default is {default_of(key, release)!r}"
                )
            if key in _FLAGS:
                raise UserError(f"--set {given}", "has a flag of its own", f"write {_FLAGS[key]}")
            if key in _OWN:
                raise UserError(f"--set {given}", f"is howdah's own: it {_OWN[key]}", "leave it out")
            if not release.knows(key) and (meant := release.nearest(key)):
                raise UserError(
                    f"--set {given}",
                    f"no program of Hadoop {release.version} reads it",
                    f"did you mean {meant}? A property of your own belongs into the client's configuration",
                )
