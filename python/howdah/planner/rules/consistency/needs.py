"""What one setting needs of another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.needed_settings import NEEDS
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases import hadoop

rules = Rules()


@rules.inspection("consistency.needs", MUST, sources="Hadoop 3.5.0, HBase 2.6.4: reference guide")
def _needs(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """What a setting needs of another is set as well."""
    release = hadoop(facts.request.hadoop)
    for need in NEEDS:
        text = reading.text(need.key)
        if text is None or re.fullmatch(need.when, text) is None or not reading.has(need.file):
            # HBase's folder alone says nothing of Hadoop's.
            continue
        if need.key.startswith(("dfs.", "yarn.", "hadoop.")) and not release.knows(need.key):
            # What the release does not read switches nothing on.
            continue
        other = next(filter(None, map(reading.text, (need.other, *need.instead))), None)
        known = str(other if other is not None else facts.decided.get(need.other) or "")
        yield Observation(
            ok=re.fullmatch(need.wanted, known) is not None,
            about=need.other,
            found=f"{known or 'not set'}, and {need.key} is {text}",
            expected=f"what {need.key} needs: else {need.otherwise}",
            fix=need.fix,
            where=reading.where(need.other) or reading.where(need.key),
        )


@rules.inspection(
    "consistency.waiting-clients", sources="HBase 2.6.4: reference guide", when="where either time is set"
)
def _waiting(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """HBase's clients wait for a call as long as their scanners are kept."""
    call, scanner = "hbase.rpc.timeout", "hbase.client.scanner.timeout.period"
    given = [key for key in (call, scanner) if reading.text(key)]
    waits = {key: reading.number(key) or facts.number(key) for key in (call, scanner)} if given else {}
    if given:
        yield Observation(
            ok=waits[call] >= waits[scanner],
            about=call,
            found=f"{waits[call]:.15g} ms, and scanners are kept for {waits[scanner]:.15g} ms",
            expected="at least as long: a client asks again before it is answered, and finds its lease gone",
            fix=f"set {call} to {waits[scanner]:.15g} in {reading.where(given[0])}",
            where=reading.where(given[0]),
        )
