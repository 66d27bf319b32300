"""Builds a release into a directory and tries it as a user would who has nothing but the files.

    PYTHONPATH=tests .venv/bin/python -m exams.release --target x86_64 --target aarch64 dist

Wheels are linked by zig against glibc 2.17, so that they run on any Linux of the last ten years. The wheel
of this machine is installed into an empty environment, without and with its extras, and plans, renders,
checks and runs outside the checkout. The source distribution is built into a wheel, which must hold the same
files.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLIBC = "manylinux_2_17"
MACHINES = ("x86_64", "aarch64")
_TOOLS = Path(sys.executable).parent


class Failure(Exception):
    """The release is not what it should be."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Build a release and try it.")
    parser.add_argument("directory", type=Path, nargs="?", default=ROOT / "build/dist")
    parser.add_argument("--target", action="append", choices=MACHINES, help="machine to build for; this one")
    asked = parser.parse_args()
    try:
        release(asked.directory.absolute(), asked.target or [platform.machine()])
    except Failure as failure:
        print(f"failed: {failure}", flush=True)
        return 1
    return 0


def release(directory: Path, machines: Sequence[str]) -> None:
    """Build wheels and a source distribution into an empty directory, and try them."""
    if platform.machine() not in machines:
        raise Failure(f"no wheel for this machine, {platform.machine()}: nothing could be tried")
    _run(["make", "build/stamps/release"], cwd=ROOT)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    wheels = {machine: _wheel(directory, machine) for machine in machines}
    _step("building the source distribution")
    _run([_TOOLS / "maturin", "sdist", "--out", directory], cwd=ROOT)
    (source,) = directory.glob("*.tar.gz")
    own = wheels[platform.machine()]
    for machine, wheel in wheels.items():
        if machine != platform.machine() and _files(wheel) != _files(own):
            raise Failure(f"{wheel.name} and {own.name} hold different files")
    with tempfile.TemporaryDirectory(prefix="howdah-release-") as folder:
        _try_source(source, own, Path(folder))
        _try_wheel(own, Path(folder))
    for file in sorted(directory.iterdir()):
        _step(f"{file.name}  {file.stat().st_size / 1e6:.1f} MB")
    _step("the release works")


def _wheel(directory: Path, machine: str) -> Path:
    _step(f"building the wheel for {machine}")
    target = f"{machine}-unknown-linux-gnu"
    installed = _run(["rustc", "--print", "target-libdir", "--target", target], cwd=ROOT).strip()
    if not Path(installed).is_dir():
        done = subprocess.run(["rustup", "target", "add", target], cwd=ROOT, check=False)
        if done.returncode:
            raise Failure(f"Rust's standard library for {target} is missing: rustup target add {target}")
    words = [
        "build",
        "--release",
        "--locked",
        "--zig",
        "--quiet",
        "--compatibility",
        GLIBC,
        "--target",
        target,
    ]
    _run([str(_TOOLS / "maturin"), *words, "--out", directory], cwd=ROOT)
    (wheel,) = directory.glob(f"*_{machine}.whl")
    return wheel


def _try_source(source: Path, wheel: Path, folder: Path) -> None:
    """Build the source distribution as pip does, and compare what is in the wheels."""
    _step("building a wheel from the source distribution")
    # Libraries are compiled once for all builds of this checkout.
    words = [
        str(_TOOLS / "python"),
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(source),
    ]
    _run(words, cwd=folder, CARGO_TARGET_DIR=str(ROOT / "target"))
    (made,) = folder.glob("*.whl")
    if _files(made) != _files(wheel):
        raise Failure(f"{source.name} and {wheel.name} hold different files")


def _files(wheel: Path) -> set[str]:
    """What a wheel holds, except the inventories that name its machine."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if "/sboms/" not in name}


def _try_wheel(wheel: Path, folder: Path) -> None:
    empty = folder / "env"
    venv.create(empty, with_pip=True)
    pip = [str(empty / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    before = _megabytes(empty)
    _step("installing the wheel into an empty environment")
    _run([*pip, str(wheel)], cwd=folder)
    _step(f"without extras it takes {_megabytes(empty) - before:.0f} MB")
    work = folder / "work"
    work.mkdir()
    shutil.copy(ROOT / "examples/hosts-nvme.yaml", work / "hosts.yaml")
    _expect(f"howdah {version()}\n", _howdah(empty, work, "--version"))
    _lines(empty, work, page=False)
    for command in (["compare", "last", "last"], ["serve", "--export", "public"], ["predict", "plan.yaml"]):
        refused = _howdah(empty, work, *command, code=2)
        if "needs the extra `" not in refused or "pip install " not in refused or "Traceback" in refused:
            raise Failure(f"howdah {' '.join(command)} does not name the extra that it lacks: {refused}")
    _step("installing its extras")
    _run([*pip, f"{wheel}[full]"], cwd=folder)
    _step(f"with the extra `full` it takes {_megabytes(empty) - before:.0f} MB")
    _lines(empty, work, page=True)
    _howdah(empty, work, "compare", *sorted(path.name for path in (work / "runs").iterdir() if path.is_dir()))
    _howdah(empty, work, "serve", "--export", "public")
    _howdah(empty, work, "deploy", "--help")
    _howdah(empty, work, "provision", "--help")


def _lines(empty: Path, work: Path, *, page: bool) -> None:
    """Plan, render, check and run; pages are written with the extra for charts only."""
    _step(f"planning, rendering, checking and running {'with' if page else 'without'} extras")
    planned = _howdah(empty, work, "plan", "hosts.yaml")
    _howdah(empty, work, "render", "plan.yaml", "--output", "conf")
    _howdah(empty, work, "check", "--conf", "conf/hadoop", "--plan", "plan.yaml")
    ran = _howdah(empty, work, "run", "terasuite", "--rows", "100k")
    newest = max((work / "runs").glob("*-*"), key=lambda path: path.stat().st_mtime)
    if (work / "plan.html").exists() != page or (newest / "report.html").exists() != page:
        raise Failure(f"pages were {'not ' if page else ''}written")
    for text in (planned, ran):
        if ("extra `charts`" in text) == page:
            raise Failure(f"a missing page is not explained, or one that was written is: {text}")


def version() -> str:
    """The version in Cargo.toml, the one place that has it."""
    text: str = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    return text


def _howdah(empty: Path, work: Path, *words: str, code: int = 0) -> str:
    """What an installed command prints; its environment knows nothing of the checkout."""
    clean = {"PATH": f"{empty / 'bin'}:/usr/bin:/bin", "HOME": str(work), "LANG": "C.UTF-8"}
    return _run([empty / "bin/howdah", *words], cwd=work, code=code, clean=clean)


def _run(
    words: Sequence[str | Path],
    *,
    cwd: Path,
    code: int = 0,
    clean: Mapping[str, str] | None = None,
    **more: str,
) -> str:
    path = f"{_TOOLS}:{os.environ['PATH']}"
    given = dict(clean) if clean is not None else {**os.environ, "PATH": path, **more}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=given, capture_output=True, text=True, check=False
    )
    printed = done.stdout + done.stderr
    if done.returncode != code:
        command = " ".join(str(word) for word in words)
        raise Failure(f"`{command}` ended with {done.returncode} instead of {code}:\n{printed}")
    return printed


def _expect(wanted: str, printed: str) -> None:
    if printed != wanted:
        raise Failure(f"{printed!r} is not {wanted!r}")


def _megabytes(folder: Path) -> float:
    """What files take, in units of 10^6 bytes; links count nothing."""
    return (
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
        / 1e6
    )


def _step(text: str) -> None:
    print(re.sub(r"\s+", " ", text), flush=True)


if __name__ == "__main__":
    sys.exit(main())
