"""What a run was, fact by fact: runs with the same facts are repeats, and facts that differ are changes."""

from __future__ import annotations

from howdah.analysis.comparing.facts.configuration import configuration_facts
from howdah.analysis.comparing.facts.hardware import hardware_facts
from howdah.analysis.comparing.facts.plan import plan_facts
from howdah.analysis.comparing.facts.versions import version_facts
from howdah.analysis.comparing.facts.workload import workload_facts
from howdah.model.comparison import Fact
from howdah.model.run import RunRecord


def facts_of(record: RunRecord) -> tuple[Fact, ...]:
    """All facts of a run, what users change first.

    Reasons are left out, as are the run's seed, its hour and what changes on a host by itself.
    """
    return (
        *workload_facts(record),
        *plan_facts(record.plan),
        *configuration_facts(record),
        *hardware_facts(record),
        *version_facts(record),
    )
