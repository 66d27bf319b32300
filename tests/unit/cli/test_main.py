"""What the parser finds wrong with a command line names the flag, the problem and the fix."""

from __future__ import annotations

import shlex

import pytest

from howdah.cli import main


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("plan hosts.yaml --hypervisr kvm", "--hypervisr: unknown option", "did you mean --hypervisor"),
        ("plan hosts.yaml --replication 2.5", "--replication 2.5: is not a whole number", "see `howdah plan"),
        ("plan hosts.yaml --years=31 --need 1TB", "--years 31: is more than 30", "give 30 or less"),
        ("plna hosts.yaml", "plna: unknown command", "did you mean plan"),
        ("nosuch hosts.yaml", "nosuch: unknown command", "see `howdah --help`"),
        ("plan hosts.yaml more.yaml", "more.yaml: is an unexpected argument", "see `howdah plan --help`"),
        ("plan plan.yaml explain", "explain: is an unexpected argument", "did you mean howdah plan explain?"),
        (
            "check conf hbase",
            "conf: is an unexpected argument",
            "did you mean --conf conf? See `howdah check",
        ),
        ("lab down small", "small: is an unexpected argument", "did you mean --name small?"),
        ("rules explain os.swappiness", "explain: unknown command", "one of show. See `howdah rules --help`"),
        ("deploy plan.yaml --dry-run", "--dry-run: unknown option", "did you mean --diff?"),
        ("provision plan.yaml --diff", "--diff: unknown option", "did you mean --dry-run?"),
        ("run terasuit", "SUITE: 'terasuit' is not a suite", "did you mean terasuite?"),
        ("plan --json=yes hosts.yaml", "--json: takes no value", "see `howdah plan --help`"),
        ("plan storage plan.yaml --share 200", "--share 200: is more than 100", "give 100 or less. See"),
        ("plan storage plan.yaml --age soon", "--age soon: is not a number", "see `howdah plan storage"),
        (
            "tune plan.yaml --goal speed",
            "--goal speed: is unknown",
            "one of hosts, memory. See `howdah tune --help`",
        ),
        ("tune plan.yaml --replications 1", "--replications 1: is less than 3", "give 3 or more"),
        ("render plan.yaml", "--output: is missing", "New or empty directory"),
        ("runs show", "RUN: is missing", "Run: an id, its beginning, `last` or a directory. See `howdah"),
        ("run terasuite --queue", "--queue: needs a value", "see `howdah run --help`"),
    ],
)
def test_a_mistake_names_the_flag_the_problem_and_the_fix(
    line: str, message: str, hint: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["howdah", *shlex.split(line)])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    first, second, *more = capfd.readouterr().err.splitlines()
    assert first == f"error: {message}"
    assert hint in second
    assert more == []
