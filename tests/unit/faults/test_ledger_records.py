"""What becomes of a run whose ledger of HDFS could not be held against what is there."""

from __future__ import annotations

from howdah.faults.ledger import ledger_lost, ledger_unread
from howdah.model.faults import LEDGER_UNREAD
from howdah.model.run import Outcome
from support.table_runs import TableScene, table_run

RECORD = table_run(TableScene(seconds=4)).record


def test_a_ledger_of_no_use_is_a_warning() -> None:
    """A full disk of howdah's own says nothing of HDFS."""
    told = ledger_unread(RECORD, "ledger.tsv: No space left on device")
    assert told.outcome is Outcome.SUCCEEDED
    assert [warning.code for warning in told.warnings] == [LEDGER_UNREAD]
    assert "No space left on device" in told.warnings[0].text


def test_a_run_after_which_nothing_is_given_back_has_failed() -> None:
    """Jobs may well end before both copies of a journal are wiped, and all that was written is lost then."""
    told = ledger_lost(RECORD, "ConnectException")
    assert told.outcome is Outcome.FAILED
    assert told.error == "HDFS returns none of the acknowledged data: ConnectException"
    assert [warning.code for warning in told.warnings] == [LEDGER_UNREAD]


def test_what_failed_before_keeps_its_own_error() -> None:
    failed = RECORD.model_copy(update={"outcome": Outcome.FAILED, "error": "a job failed"})
    assert ledger_lost(failed, "ConnectException").error == "a job failed"
