"""Runs started from a browser: what may be asked, a queue of one, and a server that is killed meanwhile."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from howdah.documents.files import write_plan
from howdah.engines.local.preparation import prepare_local
from howdah.errors import UserError
from howdah.model.run_request import RunRequest
from howdah.model.workloads.terasort import ROWS
from howdah.planner.suite.cluster import size_planned
from howdah.planner.suite.request import check_use
from howdah.serve.starting import KeptRun, StartAsked, Starter, arguments_of, startable
from support.patience import PATIENCE_S, wait_until
from support.served import client_of
from support.sim_plans import slots_plan

SLEEPS = "import sys; sys.argv = ['howdah']; import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, even a refusal takes long."""
    monkeypatch.setattr("howdah.serve.starting._REFUSAL_S", PATIENCE_S)


def arguments(tmp_path: Path, **asked: object) -> tuple[str, ...]:
    return arguments_of(
        StartAsked.model_validate(asked), runs_dir=tmp_path / "runs", plan=None, calibration=None
    )


def test_a_run_is_the_command_line_s(tmp_path: Path) -> None:
    words = arguments(tmp_path, engine="local", suite="pi", options={"maps": "4"})
    assert words == (
        "run", "pi", "--engine", "local", "--quiet", f"--runs-dir={tmp_path / 'runs'}", "--maps=4"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        ("local", {"data_dirs": "/etc"}),
        ("local", {"data_dir": "/etc"}),
        ("hadoop", {"fault": "/etc/passwd"}),
        ("local", {"input": "/etc/passwd"}),
        ("hadoop", {"conf": "/etc/hadoop"}),
        ("hadoop", {"set": "mapreduce.map.java.opts=-XX"}),
        ("local", {"--help": ""}),
    ],
)
def test_no_file_and_no_command_is_named_from_a_browser(
    engine: str, options: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(UserError):
        arguments(tmp_path, engine=engine, suite="terasort", options=options, lab="lab")


def test_no_option_that_may_be_given_names_a_place() -> None:
    for engine in ("local", "sim", "hadoop", "hbase"):
        assert startable(engine)
        for options in startable(engine).values():
            assert not {option.flag for option in options} & {
                "--data-dir", "--conf", "--plan", "--reach", "--set", "--hdfs-dir", "--input", "--probe",
                "--calibration", "--lab",
            }  # fmt: skip


def test_a_value_cannot_become_a_flag(tmp_path: Path) -> None:
    words = arguments(tmp_path, engine="local", suite="pi", options={"maps": "--data-dir=/etc"})
    assert words[-1] == "--maps=--data-dir=/etc"


def test_a_simulation_needs_a_plan_and_hadoop_a_laboratory(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="plan"):
        arguments(tmp_path, engine="sim", suite="terasuite")
    with pytest.raises(UserError, match="lab: is missing"):
        arguments(tmp_path, engine="hadoop", suite="terasuite")


def test_what_the_command_line_refuses_is_refused_in_its_words(tmp_path: Path) -> None:
    starter = Starter(tmp_path / "state", lambda: None)
    words = arguments(tmp_path, engine="local", suite="pi", options={"maps": "many"})
    with pytest.raises(UserError) as caught:
        asyncio.run(starter.ask(words))
    assert "--maps" in caught.value.what
    assert caught.value.hint
    assert starter.runs[0].state == "refused"


def _under_way(state: Path) -> tuple[Starter, subprocess.Popen[bytes]]:
    """A starter of whose runs one is under way, that another server had begun."""
    process = subprocess.Popen([sys.executable, "-c", SLEEPS])
    starter = Starter(state, lambda: None)
    born = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    run = KeptRun(
        number=1,
        command=("howdah",),
        arguments=("run",),
        state="running",
        asked_s=1.0,
        pid=process.pid,
        born=born,
    )
    starter._runs.append(run)
    starter._keep()
    return Starter(state, lambda: None), process


def test_one_runs_one_waits_and_a_third_is_refused(tmp_path: Path) -> None:
    starter, process = _under_way(tmp_path)
    try:
        words = ("run", "nothing-like-it", "--engine", "local")
        assert asyncio.run(starter.ask(words)).state == "waiting"
        with pytest.raises(UserError, match="one waits already"):
            asyncio.run(starter.ask(words))
        # A server that was killed meanwhile finds both.
        again = Starter(tmp_path, lambda: None)
        again.refresh()
        assert [run.state for run in again.runs] == ["waiting", "running"]
        again.stop(2)
        assert [run.state for run in again.runs] == ["stopped", "running"]
        again.stop(1)
        assert process.wait(PATIENCE_S) != 0
        again.refresh()
        assert again.runs[1].state == "ended"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("delay_s", [0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_a_run_stopped_while_python_or_howdah_loads_is_stopped(delay_s: float, tmp_path: Path) -> None:
    starter = Starter(tmp_path / "state", lambda: None)
    words = arguments(tmp_path, engine="local", suite="ycsb", options={"operations": "20000000"})
    starter._runs.append(
        KeptRun(number=1, command=("howdah",), arguments=words, state="waiting", asked_s=time.time())
    )
    starter.refresh()
    process = starter._processes[1]
    try:
        time.sleep(delay_s)
        starter.stop(1)

        def ended() -> bool:
            starter.refresh()
            return starter.runs[0].state != "running"

        wait_until(ended)
        assert starter.runs[0].state == "stopped"
        assert starter.runs[0].said.startswith("stopped by the user")
    finally:
        # A run that was not stopped would keep a CPU busy for hours.
        process.kill()
        process.wait()


def test_another_process_s_number_is_not_taken_for_the_run_s(tmp_path: Path) -> None:
    starter = Starter(tmp_path, lambda: None)
    starter._runs.append(
        KeptRun(
            number=1,
            command=(),
            arguments=(),
            state="running",
            asked_s=time.time(),
            pid=os.getpid(),
            born="1",
        )
    )
    starter.refresh()
    assert starter.runs[0].state == "ended"
    with pytest.raises(UserError, match="has ended"):
        starter.stop(1)


def test_a_state_file_that_is_damaged_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "starts.json").write_text("{")
    assert Starter(tmp_path, lambda: None).runs == ()


@pytest.mark.parametrize("text", ["\0", "a\nb", "\x7f", "4\r"])
def test_a_value_that_no_command_line_can_have_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="pattern"):
        StartAsked.model_validate({"engine": "local", "suite": "pi", "options": {"maps": text}})


WORDS = ("run", "nothing-like-it", "--engine", "local")


def test_a_run_that_cannot_begin_is_refused_and_the_next_one_begins(tmp_path: Path) -> None:
    starter = Starter(tmp_path, lambda: None)
    with pytest.raises(UserError, match="cannot be started: embedded null byte"):
        asyncio.run(starter.ask((*WORDS, "\0")))
    # There is no place for what it prints.
    (tmp_path / "start-2.log").mkdir()
    with pytest.raises(UserError, match="cannot be started: Is a directory"):
        asyncio.run(starter.ask(WORDS))
    starter.refresh()
    assert [run.state for run in starter.runs] == ["failed", "failed"]
    with pytest.raises(UserError, match="nothing-like-it"):
        asyncio.run(starter.ask(WORDS))
    # Whatever was refused stays so, in a server that is started again, too.
    again = Starter(tmp_path, lambda: None)
    again.refresh()
    assert [run.state for run in again.runs] == ["refused", "failed", "failed"]


def test_a_queue_goes_on_when_its_turn_fails(tmp_path: Path) -> None:
    starter, process = _under_way(tmp_path)

    async def follow() -> None:
        following = asyncio.create_task(starter.follow())
        (tmp_path / "start-2.log").mkdir()
        assert (await starter.ask(WORDS)).state == "waiting"
        process.kill()
        process.wait()
        while [run.state for run in starter.runs] != ["failed", "ended"]:
            await asyncio.sleep(0.05)
        with pytest.raises(UserError, match="nothing-like-it"):
            await starter.ask(WORDS)
        assert not following.done()
        following.cancel()

    asyncio.run(asyncio.wait_for(follow(), 60))


def test_visitors_see_no_directory_and_no_process(tmp_path: Path) -> None:
    starter = Starter(tmp_path / "state", lambda: None)
    words = arguments_of(
        StartAsked(engine="sim", suite="terasuite", options={"rows": "1"}, plan="file-1"),
        runs_dir=tmp_path / "runs", plan=tmp_path / "plan.yaml", calibration=f"{tmp_path}/calibration.json",
    )  # fmt: skip
    with pytest.raises(UserError) as caught:
        asyncio.run(starter.ask(words))
    (run,) = starter.runs
    shown = run.model_dump_json()
    assert "plan.yaml" in shown
    assert str(tmp_path) not in f"{shown}{caught.value}{caught.value.hint}"
    assert not {"arguments", "pid", "born"} & set(run.model_dump())


def test_only_options_that_the_engine_uses_are_offered() -> None:
    for engine in ("local", "sim", "hadoop", "hbase"):
        for suite, options in startable(engine).items():
            for option in options:
                check_use(option, engine)
                assert suite
    assert "block_size" not in {option.name for option in startable("local")["terasuite"]}


def test_what_an_empty_field_comes_to_is_what_the_command_line_takes(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(write_plan(slots_plan()))
    with client_of(tmp_path, allow_runs=True, plans=(tmp_path / "plan.yaml",)) as client:
        here = client.get("/api/v1/starts/defaults?engine=local&suite=terasuite").json()["values"]
        planned = client.get("/api/v1/starts/defaults?engine=sim&suite=terasuite&plan=file-1").json()[
            "values"
        ]
        lab = client.get("/api/v1/starts/defaults?engine=hadoop&suite=terasuite").json()["values"]
        absent = client.get("/api/v1/starts/defaults?engine=sim&suite=terasuite&plan=file-2")
        refused = client.get("/api/v1/starts/defaults?engine=local&suite=network")
    job = prepare_local(
        RunRequest(suite="terasuite"), runs_dir=tmp_path, command=(), seed=None, keep_data=False
    ).job
    rows = job.suite.first(ROWS)
    assert here["rows"] == f"{rows:,}"
    assert here["memory"].endswith("iB")
    assert here["map_slots"] == str(job.plan.workers[0].map_slots)
    sized = size_planned(RunRequest(suite="terasuite"), slots_plan())
    planned_rows = sized.suite.first(ROWS)
    assert planned["rows"] == f"{planned_rows:,}" != here["rows"]
    assert lab == {}
    assert absent.status_code == 404
    assert refused.status_code == 409
    assert "does not run network" in refused.json()["what"]
