"""Which machines stay on their host, and which stay apart."""

from __future__ import annotations

from howdah.model.plan import Role
from howdah.provision.vsphere.rules import planned_groups, planned_rules
from support.wanted import wanted_machine


def test_machines_stay_with_their_disks() -> None:
    machines = [wanted_machine(), wanted_machine("w1-2.example.com")]
    assert planned_groups(machines) == {
        "howdah sample: machines of w1.example.com": {"machines": "w1-1.example.com, w1-2.example.com"},
        "howdah sample: host w1.example.com": {"hosts": "w1.example.com"},
    }
    assert planned_rules(machines) == {
        "howdah sample: stay on w1.example.com": {
            "kind": "must run on its host",
            "machine group": "howdah sample: machines of w1.example.com",
            "host group": "howdah sample: host w1.example.com",
        }
    }


def test_masters_of_one_role_stay_apart_where_they_are() -> None:
    apart = [wanted_machine(f"m{number}.example.com", host=f"h{number}", master=True, roles=(Role.NAMENODE,))
             for number in (1, 2)]  # fmt: skip
    assert (
        planned_rules(apart)["howdah sample: NameNodes apart"]["machines"] == "m1.example.com, m2.example.com"
    )
    together = [one.model_copy(update={"host": "h1"}) for one in apart]
    assert "howdah sample: NameNodes apart" not in planned_rules(together)


def test_what_is_mirrored_may_run_on_either_host() -> None:
    mirrored = wanted_machine("m1.example.com", master=True, shadow_host="w2.example.com")
    assert planned_groups([mirrored]) == {}
