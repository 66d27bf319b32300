"""What a configuration needs before its cluster runs another release."""

from __future__ import annotations

from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_SOURCES = "Hadoop 3.5.0: *-default.xml, howdah"
rules = Rules()

JAVA = rules.principle(
    "upgrade.java",
    "Every daemon runs on a Java that the new release runs on, and all of one host on the same.",
    MUST,
    sources="Hadoop 3.5.0: release notes",
    when="with --to",
)
OTHER_JAVA = rules.principle(
    "upgrade.other-java",
    "Software that shares hosts and jars with Hadoop runs on the same Java.",
    sources="howdah",
    when="with --to",
)
DEFAULTS = rules.principle(
    "upgrade.defaults", "What is not set has the new release's default.", sources=_SOURCES, when="with --to"
)
SHUFFLE = rules.principle(
    "upgrade.shuffle-services",
    "Services in NodeManagers are built for the new release and its Java.",
    sources="Spark: running on YARN, howdah",
    when="with --to",
)
