"""What a configuration needs before its cluster runs another release."""

from __future__ import annotations

from howdah.planner.rules.declare import read_rules

rules = read_rules("upgrade.toml")


JAVA = rules["upgrade.java"]
OTHER_JAVA = rules["upgrade.other-java"]
DEFAULTS = rules["upgrade.defaults"]
SHUFFLE = rules["upgrade.shuffle-services"]
