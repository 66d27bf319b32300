"""How Java is started where programs live for seconds: starting is most of what they compute."""

from __future__ import annotations

BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
"""Compile little, and do not prove once more that the code of released jars is sound: a sixth of a start."""
SOON = " ".join(BRIEF)
"""The same as a line."""
