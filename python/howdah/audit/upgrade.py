"""What an upgrade to another release requires of a configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.audit.audit import audit
from howdah.audit.detect import detect
from howdah.audit.existing import rule_check
from howdah.audit.folder import Releases
from howdah.audit.values import Values
from howdah.errors import UserError
from howdah.hadoop.config_files import HADOOP_FILES, HADOOP_SCRIPTS
from howdah.model.existing import Check, CheckReport, CheckVerdict, FoundConfig
from howdah.model.host import Host
from howdah.planner.rules.catalogue import find_rule
from howdah.planner.rules.jvm import home_major, java_of_hadoop
from howdah.releases.catalogue import hadoop, hbase
from howdah.releases.values import read_list

_OF_RELEASES = ("release.", "jvm.", "consistency.former-variables", "consistency.workers-file")
_SERVICES = "yarn.nodemanager.aux-services"


def check_upgrade(
    config: FoundConfig, hosts: Sequence[Host], releases: Releases, to: str, java: int | None
) -> CheckReport:
    """Removed, renamed and changed keys, Java and its options, and services of NodeManagers.

    Raises UserError for an unknown release and for a Java that the new release does not run on.
    """
    runs_on = java_of_hadoop(hadoop(to, "--to").version)
    if java is not None and java not in runs_on:
        majors = " or ".join(map(str, runs_on))
        raise UserError(f"--java {java}", f"is not a Java that Hadoop {to} runs on", f"give --java {majors}")
    before = releases.hadoop
    if releases.hadoop_from == "default":
        before = detect(config, hosts, releases.hadoop).hadoop
    report = audit(config, hosts, None, releases._replace(hadoop=to, hadoop_from=f"--to, from {before}"))
    of_releases = (check for check in report.checks if check.rule.startswith(_OF_RELEASES))
    kept = (check for check in of_releases if check.verdict is not CheckVerdict.PASS)
    of_daemons = (*_java(config, to, java or max(runs_on)), *_shuffle(config, to))
    own = (*of_daemons, *_defaults(config, before, to, releases))
    worst = (CheckVerdict.FAIL, CheckVerdict.WARN, CheckVerdict.ADVICE)
    checks = sorted((*kept, *own), key=lambda c: worst.index(c.verdict) if c.verdict in worst else len(worst))
    return report.model_copy(update={"checks": tuple(checks)})


def _check(rule_id: str, verdict: CheckVerdict, about: str, where: str, **fields: str) -> Check:
    rule = find_rule(rule_id)
    return rule_check(rule, verdict, about, where, damage=rule.damage, **fields)


def _java(config: FoundConfig, to: str, java: int) -> Iterator[Check]:
    """Scripts that name another Java than the new release needs."""
    homes = {entry.file: entry for entry in config.environment if entry.name == "JAVA_HOME"}
    for entry in homes.values():
        major = home_major(entry.text)
        if major is None or major == java:
            continue
        foreign = entry.base_name not in HADOOP_SCRIPTS
        rule_id, verdict, why = "upgrade.java", CheckVerdict.FAIL, ""
        if foreign:
            rule_id, verdict = "upgrade.other-java", CheckVerdict.WARN
            why = ": Hadoop's jars need it, and clients on an older Java exit"
        expected = f"Java {java}, which Hadoop {to} runs on{why}"
        fix, actual = f"set JAVA_HOME to Java {java} in {entry.place}", f"Java {major}"
        yield _check(rule_id, verdict, "JAVA_HOME", entry.place, found=actual, expected=expected, fix=fix)


def _shuffle(config: FoundConfig, to: str) -> Iterator[Check]:
    entry = config.property(_SERVICES)
    services = read_list(entry.text) if entry is not None else ()
    for name in services:
        if entry is not None and name not in ("mapreduce_shuffle", "timeline_collector"):
            fields = {
                "found": f"{name} in NodeManagers",
                "expected": f"a jar of {name} that is built for Hadoop {to} and its Java: NodeManagers do "
                "not start with another, and Spark's of 4.1 lacks scala-library",
                "fix": f"replace the jar of {name} on every worker together with the NodeManager",
            }
            about = f"{_SERVICES}.{name}"
            yield _check("upgrade.shuffle-services", CheckVerdict.WARN, about, entry.place, **fields)


def _defaults(config: FoundConfig, before: str, to: str, releases: Releases) -> Iterator[Check]:
    """Defaults that change, for keys that are not set in existing files."""
    old, new = hadoop(before), hadoop(to)
    values = Values(config, (old, hbase(releases.hbase)))
    files = {file.rpartition("/")[2] for file in config.files}
    for name, entry in sorted(old.properties.items()):
        later = new.find(name)
        reading = values.read(name)
        if later is None or entry.file not in files or entry.file not in HADOOP_FILES:
            continue
        if reading is not None and reading.source is not None:
            continue
        if entry.default and later.default and _differ(entry.default, later.default):
            fields = {
                "found": f"not set: {entry.default} in Hadoop {before}",
                "expected": f"{later.default} in Hadoop {to}",
                "fix": f"add {name} = {entry.default} to {entry.file} to keep the old value",
            }
            yield _check("upgrade.defaults", CheckVerdict.ADVICE, name, entry.file, **fields)


def _differ(first: str, second: str) -> bool:
    """Whether two defaults are different values, not different spellings."""
    try:
        return float(first) != float(second)
    except ValueError:
        return first.strip().lower() != second.strip().lower()
