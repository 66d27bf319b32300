"""Machines that are not as planned, as a check tells of them."""

from __future__ import annotations

from howdah.audit.drift import check_machines
from howdah.model.existing import CheckVerdict
from howdah.model.machines import Difference, Doing, ProvisionChange, Provisioning


def test_every_difference_is_a_finding_with_its_fix() -> None:
    memory = Difference(what="memory reserved", found="0 MiB", planned="61,696 MiB")
    found = Provisioning(
        changes=(
            ProvisionChange(doing=Doing.LEAVE, what="folder", name="howdah"),
            ProvisionChange(
                doing=Doing.CHANGE, what="machine", name="w1-1", differences=(memory,), restarts=True
            ),
            ProvisionChange(doing=Doing.MAKE, what="machine", name="w1-2"),
            ProvisionChange(doing=Doing.EXTRA, what="machine", name="w9-1"),
        )
    )
    sound, drifted, missing, extra = check_machines(found)
    assert sound.verdict is CheckVerdict.PASS
    assert {one.verdict for one in (drifted, missing, extra)} == {CheckVerdict.FAIL}
    assert (drifted.where, drifted.about, drifted.found) == ("w1-1", "memory reserved", "0 MiB")
    assert "shuts it down" in drifted.fix
    assert missing.found == "is missing"
    assert extra.expected == "not in the plan"
