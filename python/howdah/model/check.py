"""The results of a check of existing systems."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from howdah.model.base import Model
from howdah.model.plan import Input


class CheckVerdict(StrEnum):
    """How something that exists stands against a rule.

    Advice is a value that howdah would choose where the release's default is in use.
    """

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    ADVICE = "advice"
    UNKNOWN = "cannot tell"


class Check(Model):
    """One rule compared with one thing that exists."""

    rule: str
    verdict: CheckVerdict
    """The verdict."""
    about: str
    """The property, device or daemon."""
    where: str
    """The file and line, or the host; empty where there is no place."""
    found: str
    """The existing value, as it was written or read."""
    expected: str
    """The value that the rule requires; the missing fact if there is no decision."""
    why: str
    """The reason, in a sentence, with the numbers."""
    fix: str = ""
    """The fix; empty if the check passes."""
    source: str = ""
    """Where the rule comes from."""
    damage: str = ""
    """The damage of breaking the rule."""
    inputs: tuple[Input, ...] = ()
    """The numbers that went in."""


class HostRole(StrEnum):
    """The role of the host with this configuration."""

    MASTER = "master"
    WORKER = "worker"
    CLIENT = "client"


class CheckReport(Model):
    """All checks of one occasion, worst first."""

    scope: Literal["configuration", "host", "all"]
    """The subject."""
    looked_at: tuple[str, ...]
    """Files and hosts that were read."""
    hadoop: str
    """The Hadoop release it was compared with."""
    hadoop_from: str
    """Where the Hadoop release is known from: ``command line``, ``plan``, ``HADOOP_HOME``, ``default``
    where nothing
    names one, or what in the files does."""
    hbase: str
    """The HBase release it was compared with."""
    ignored: tuple[str, ...] = ()
    """Configuration files with names that no program reads."""
    role: HostRole | None = None
    """The role of the configuration's host; None for a cluster's, which all of its hosts read."""
    plan: str | None = None
    """The plan's file, if there is one."""
    checks: tuple[Check, ...]
    """Every result."""

    def groups(self, *verdicts: CheckVerdict) -> dict[str, list[Check]]:
        """The results with these verdicts in the report's order, by heading.

        What is wrong stands below the damage that it does, everything else below its verdict.
        """
        groups: dict[str, list[Check]] = {}
        for check in self.checks:
            if check.verdict in verdicts:
                groups.setdefault(_heading(check), []).append(check)
        return groups


def _heading(check: Check) -> str:
    if check.verdict not in (CheckVerdict.FAIL, CheckVerdict.WARN):
        return check.verdict.value
    return check.damage or ("differs from the plan" if check.rule.startswith("drift.") else "other findings")
