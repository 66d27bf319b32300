"""What provisioning would do, as a terminal shows it."""

from __future__ import annotations

import io

from rich.console import Console

from howdah.cli.provision import provision_table
from howdah.model.machines import Difference, Doing, ProvisionChange, Provisioning


def _shown(*changes: ProvisionChange, notes: tuple[str, ...] = ()) -> str:
    text = io.StringIO()
    Console(file=text, width=140, color_system=None).print(
        provision_table(Provisioning(changes=changes, notes=notes))
    )
    return text.getvalue()


def _change(doing: Doing, name: str, what: str = "machine", **more: object) -> ProvisionChange:
    return ProvisionChange.model_validate({"doing": doing, "what": what, "name": name, **more})


def test_what_is_as_planned_is_only_counted() -> None:
    text = _shown(_change(Doing.LEAVE, "w1-1"), _change(Doing.LEAVE, "w1-2"))
    assert text.strip() == "in all  0 to make, 0 to change, 2 as planned"


def test_a_change_shows_both_values_and_what_it_costs() -> None:
    memory = Difference(what="memory reserved", found="", planned="61,696 MiB")
    text = _shown(_change(Doing.CHANGE, "w1-1", host="w1", differences=(memory,), restarts=True))
    assert "memory reserved: none → 61,696 MiB" in text
    assert "will be shut down for the change and started again" in text


def test_many_rules_are_one_line() -> None:
    text = _shown(*(_change(Doing.MAKE, f"stay on w{number}", "rule") for number in range(32)))
    assert "32 of them" in text
    assert "stay on" not in text
    assert "32 to make" in text


def test_machines_that_are_no_longer_planned_are_named() -> None:
    text = _shown(_change(Doing.EXTRA, "w9-1", host="w9"))
    assert "no longer planned" in text
    assert "w9-1" in text
    assert "1 created by howdah but no longer planned, left alone" in text


def test_what_somebody_else_wrote_cannot_play_with_the_terminal() -> None:
    hostile = Difference(what="parameter x", found="\x1b[2J\x1b]0;gone\x07", planned="1")
    text = _shown(_change(Doing.CHANGE, "w1-1\x1b[31m", differences=(hostile,)))
    assert "\x1b" not in text
    assert "\x07" not in text
