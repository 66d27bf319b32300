"""A laboratory's HBase as a Java client reaches it: classes, configuration, and who can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.installation import HBaseInstallation, java_command
from howdah.installation.digests import release_of
from howdah.installation.find import fetched_hbase
from howdah.installation.hbase import ycsb_jars
from howdah.lab.hadoop.daemons import configured, surroundings
from howdah.lab.hadoop.files import name_options
from howdah.lab.hadoop.hbase import pages
from howdah.lab.installed import installed
from howdah.lab.kernel.enter import client_prefix
from howdah.lab.state import LabState
from howdah.model.plan import Role


class HBaseClient(NamedTuple):
    """What a Java program needs to talk to HBase from where clients of a laboratory are."""

    installation: HBaseInstallation
    """HBase's jars, and those of YCSB's load generator, which no installation of a user's own has."""
    conf: Path
    """The directory with hbase-site.xml, core-site.xml and hdfs-site.xml."""
    prefix: tuple[str, ...]
    """The beginning of a command line that runs in the client's network, which no limit slows."""
    environment: Mapping[str, str]
    """All that such a program finds in its environment; by it ``howdah lab down`` finds the program."""
    options: tuple[str, ...]
    """Java options by which names are found; none where /etc/hosts has them."""
    masters: Mapping[str, str]
    """The web server of each HMaster by its machine, ``http://m1:16010``; it answers at /jmx."""
    regionservers: Mapping[str, str]
    """The same of each RegionServer."""

    def command(
        self, main: str, *arguments: str, options: Sequence[str] = (), classes: Sequence[Path] = ()
    ) -> list[str]:
        """The whole argument vector of a Java program; ``classes`` are looked into before all jars."""
        found = self.installation
        path = (*map(str, classes), *found.class_path)
        java = java_command(
            found._replace(class_path=path), self.conf, main, *arguments, options=[*self.options, *options]
        )
        return [*self.prefix, *java]


def hbase_client(state: LabState) -> HBaseClient:
    """How clients reach a laboratory's HBase; raises UserError where it has none, or YCSB is not there."""
    found = installed(state).hbase
    if found is None:
        raise UserError(
            f"laboratory {state.name}", "has no HBase", "build one of a plan with --workload ycsb"
        )
    return HBaseClient(
        installation=found if found.fetched else _with_ycsb(found),
        conf=state.client_conf,
        prefix=client_prefix(state),
        environment=surroundings(state, configured(state, state.client_conf)),
        options=name_options(state),
        masters=pages(state, Role.HMASTER),
        regionservers=pages(state, Role.REGIONSERVER),
    )


def _with_ycsb(own: HBaseInstallation) -> HBaseInstallation:
    """A user's own HBase with the load generator of the fetched one behind it."""
    try:
        fetched = fetched_hbase(release_of("hbase"))
    except UserError as error:
        raise UserError(
            "YCSB", f"is not there, and {own.home} has none", release_of("hbase").fetch
        ) from error
    jars = ycsb_jars(fetched.home / "lib")
    return own._replace(class_path=(*own.class_path, *map(str, jars)))
