"""What a configuration needs before its cluster runs another release."""

from __future__ import annotations

from howdah.planner.rule import Rule, Severity

_SOURCES = ("Hadoop 3.5.0: *-default.xml", "howdah")

JAVA = Rule(
    id="upgrade.java",
    says="Every daemon runs on a Java that the new release runs on, and all of one host on the same.",
    sources=("Hadoop 3.5.0: release notes",),
    severity=Severity.MUST,
    condition="with --to",
)
OTHER_JAVA = Rule(
    id="upgrade.other-java",
    says="Software that shares hosts and jars with Hadoop runs on the same Java.",
    sources=("howdah",),
    condition="with --to",
)
DEFAULTS = Rule(
    id="upgrade.defaults",
    says="What is not set has the new release's default.",
    sources=_SOURCES,
    condition="with --to",
)
SHUFFLE = Rule(
    id="upgrade.shuffle-services",
    says="Services in NodeManagers are built for the new release and its Java.",
    sources=("Spark: running on YARN", "howdah"),
    condition="with --to",
)

RULES: tuple[Rule, ...] = (JAVA, OTHER_JAVA, DEFAULTS, SHUFFLE)
