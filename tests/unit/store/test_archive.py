"""A run in one file: packed, carried to another machine, unpacked."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from howdah.errors import HowdahError, RecordError, UserError
from howdah.model.run import Outcome
from howdah.store.archive import export_run, import_run
from howdah.store.reader import read_run
from howdah.store.writer import RunWriter
from support import records
from support.stored import as_begun, put, write_killed_run, write_run

Entry = tuple[tarfile.TarInfo, bytes]


def _files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def _no_trace(runs_dir: Path) -> bool:
    return not [path for path in runs_dir.glob("*") if path.name != ".lock"]


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    return write_run(tmp_path / "here", records.pi())


@pytest.fixture
def archive(tmp_path: Path, run_dir: Path) -> Path:
    out = tmp_path / "run.tar.gz"
    export_run(run_dir, out)
    return out


def test_an_imported_run_is_the_exported_one(tmp_path: Path, run_dir: Path, archive: Path) -> None:
    imported = import_run(archive, tmp_path / "there")
    assert imported == tmp_path / "there" / run_dir.name
    assert _files(imported) == _files(run_dir)
    one, other = read_run(run_dir), read_run(imported)
    assert one.record == other.record
    assert one.tasks.equals(other.tasks)
    assert one.samples.equals(other.samples)


def test_only_the_records_own_files_travel(tmp_path: Path, run_dir: Path) -> None:
    before = _files(run_dir)
    (run_dir / "report.html").write_text("can be made again")
    (run_dir / "logs" / "other").write_text("somebody's")
    export_run(run_dir, tmp_path / "out.tar.gz")
    assert _files(import_run(tmp_path / "out.tar.gz", tmp_path / "there")) == before


def test_exporting_again_makes_the_same_bytes(tmp_path: Path, archive: Path) -> None:
    imported = import_run(archive, tmp_path / "there")
    export_run(imported, tmp_path / "again.tar.gz")
    assert (tmp_path / "again.tar.gz").read_bytes() == archive.read_bytes()


def test_a_killed_run_travels_as_it_is(tmp_path: Path) -> None:
    data = records.pi()
    killed = write_killed_run(tmp_path / "here", data)
    with (killed / "samples.arrow").open("r+b") as stream:
        stream.truncate((killed / "samples.arrow").stat().st_size - 11)
    export_run(killed, tmp_path / "killed.tar.gz")
    read = read_run(import_run(tmp_path / "killed.tar.gz", tmp_path / "there"))
    assert read.record.outcome is Outcome.ABORTED
    assert read.record == read_run(killed).record
    assert read.samples.equals(read_run(killed).samples)
    assert 0 < read.samples.num_rows < data.samples.num_rows


def test_a_renamed_directory_travels_under_its_records_id(tmp_path: Path, run_dir: Path) -> None:
    renamed = run_dir.rename(run_dir.with_name("my favourite"))
    export_run(renamed, tmp_path / "out.tar.gz")
    assert import_run(tmp_path / "out.tar.gz", tmp_path / "there").name == run_dir.name


def test_importing_twice_changes_nothing(tmp_path: Path, archive: Path) -> None:
    first = import_run(archive, tmp_path / "there")
    (first / "report.html").write_text("made meanwhile")
    before = _files(first)
    assert import_run(archive, tmp_path / "there") == first
    assert _files(first) == before


def test_another_run_of_the_same_id_is_left_alone(tmp_path: Path, archive: Path) -> None:
    other = write_run(tmp_path / "there", records.pi())
    (other / "logs/howdah.log").write_text("another run's log")
    before = _files(other)
    with pytest.raises(UserError, match="a run with this id already exists"):
        import_run(archive, tmp_path / "there")
    assert _files(other) == before
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == [".lock", other.name]


def test_a_run_that_goes_on_is_not_exported(tmp_path: Path) -> None:
    with RunWriter(tmp_path, as_begun(records.pi().record)) as writer:
        with pytest.raises(UserError, match="still being written"):
            export_run(writer.path, tmp_path / "out.tar.gz")
        assert not (tmp_path / "out.tar.gz").exists()


def test_a_damaged_run_is_not_exported(tmp_path: Path, run_dir: Path) -> None:
    (run_dir / "tasks.parquet").write_bytes(b"PAR1")
    with pytest.raises(RecordError, match=r"tasks\.parquet: damaged"):
        export_run(run_dir, tmp_path / "out.tar.gz")
    assert not (tmp_path / "out.tar.gz").exists()


def test_exporting_overwrites_nothing(tmp_path: Path, run_dir: Path) -> None:
    (tmp_path / "out.tar.gz").write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        export_run(run_dir, tmp_path / "out.tar.gz")
    assert (tmp_path / "out.tar.gz").read_text() == "mine"
    with pytest.raises(UserError, match="cannot be written"):
        export_run(run_dir, tmp_path / "absent" / "out.tar.gz")


def test_an_archive_cut_at_any_byte_is_one_error(tmp_path: Path, archive: Path) -> None:
    content = archive.read_bytes()
    there = tmp_path / "there"
    for size in range(len(content)):
        put(archive, content[:size])
        with pytest.raises(RecordError) as error:
            import_run(archive, there)
        assert error.value.where == str(archive)
    assert not there.exists()


def test_an_archive_with_a_flipped_bit_is_refused(tmp_path: Path, archive: Path) -> None:
    content = archive.read_bytes()
    # The first ten bytes are gzip's header: its time and system may be anything.
    for place in range(10, len(content), 5):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        # Deflate may say the same in other bits; then nothing was lost.
        if _unpacks_to(damaged) == gzip.decompress(content):
            continue
        put(archive, damaged)
        with pytest.raises(RecordError):
            import_run(archive, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def _unpacks_to(content: bytes | bytearray) -> bytes | None:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


# The bytes name the tests, so they carry no time: parallel workers must find the same names.
@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 a zip", gzip.compress(b"", mtime=0), gzip.compress(b"x" * 5000, mtime=0)]
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(RecordError, match="file: "):
        import_run(tmp_path / "file", tmp_path / "there")
    with pytest.raises(UserError, match="no such file"):
        import_run(tmp_path / "absent", tmp_path / "there")
    assert not (tmp_path / "there").exists()


def _entries(archive: Path) -> list[Entry]:
    entries = []
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None, f"{member.name} is not a file"
            entries.append((member, file.read()))
    return entries


def _repack(archive: Path, entries: list[Entry]) -> None:
    with tarfile.open(archive, "w:gz") as tar:
        for member, content in entries:
            tar.addfile(member, io.BytesIO(content))


def _rename(name: str) -> Callable[[list[Entry]], None]:
    def change(entries: list[Entry]) -> None:
        entries[0][0].name = name

    return change


def _link(kind: bytes) -> Callable[[list[Entry]], None]:
    def change(entries: list[Entry]) -> None:
        member = tarfile.TarInfo(entries[0][0].name)
        member.type = kind
        member.linkname = "/etc/passwd"
        entries[0] = (member, b"")

    return change


@pytest.mark.parametrize(
    "change",
    [
        _rename("../escaped/run.json"),
        _rename("/tmp/escaped/run.json"),
        _rename("20261120-1714-pi/../../escaped"),
        _rename("20261120-1714-pi/report.html"),
        _rename("20261120-1714-pi"),
        _rename("run.json"),
        _rename(".."),
        _rename(".hidden/run.json"),
        _rename("another/run.json"),
        _link(tarfile.SYMTYPE),
        _link(tarfile.LNKTYPE),
        _link(tarfile.DIRTYPE),
        _link(tarfile.FIFOTYPE),
        _link(tarfile.CHRTYPE),
        lambda entries: entries.append(entries[0]),
        lambda entries: entries.pop(0),
        lambda entries: entries.pop(1),
        lambda entries: entries.clear(),
    ],
)
def test_an_archive_export_would_not_have_written_is_refused(
    tmp_path: Path, archive: Path, change: Callable[[list[Entry]], None]
) -> None:
    entries = _entries(archive)
    change(entries)
    _repack(archive, entries)
    with pytest.raises(RecordError) as error:
        import_run(archive, tmp_path / "deep" / "there")
    assert error.value.where == str(archive)
    assert _no_trace(tmp_path / "deep" / "there")
    assert not list(tmp_path.rglob("escaped*"))


@pytest.mark.parametrize("head", ["..", ".", "", ".hidden", "a b"])
def test_what_cannot_name_a_run_is_not_made(tmp_path: Path, archive: Path, head: str) -> None:
    entries = _entries(archive)
    for member, _ in entries:
        member.name = f"{head}/{member.name.partition('/')[2]}"
    _repack(archive, entries)
    with pytest.raises(RecordError, match="is in it"):
        import_run(archive, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_an_archive_that_claims_an_absurd_size_is_refused(tmp_path: Path, archive: Path) -> None:
    member, content = _entries(archive)[0]
    member.size = 2**40
    archive.write_bytes(gzip.compress(member.tobuf() + content))
    with pytest.raises(RecordError, match="unpacks to more than"):
        import_run(archive, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_the_name_outside_must_be_the_one_inside(tmp_path: Path, archive: Path) -> None:
    entries = _entries(archive)
    for member, _ in entries:
        member.name = member.name.replace("pi", "terasuite", 1)
    _repack(archive, entries)
    with pytest.raises(RecordError, match="folder is named 20261120-1714-terasuite"):
        import_run(archive, tmp_path / "there")
    assert _no_trace(tmp_path / "there")


def test_an_archive_hiding_more_behind_its_end_is_refused(tmp_path: Path, archive: Path) -> None:
    content = gzip.decompress(archive.read_bytes())
    archive.write_bytes(gzip.compress(content + bytes(2**20)))
    with pytest.raises(RecordError, match="data follows"):
        import_run(archive, tmp_path / "there")


def test_a_record_that_cannot_be_read_is_not_let_in(tmp_path: Path, archive: Path) -> None:
    entries = _entries(archive)
    content = entries[0][1].replace(b'"schema_version": 2', b'"schema_version": 9')
    assert content != entries[0][1]
    entries[0] = (entries[0][0], content)
    _repack(archive, entries)
    with pytest.raises(RecordError) as error:
        import_run(archive, tmp_path / "there")
    assert error.value.where == str(archive)
    assert error.value.what.startswith("run.json: schema_version 9 is newer")
    assert _no_trace(tmp_path / "there")


def test_a_run_too_large_for_the_disk_is_refused_before_it_is_unpacked(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage(tmp_path)._replace(free=100)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: full)
    with pytest.raises(UserError, match="100 are free"):
        import_run(archive, tmp_path / "there")
    assert _no_trace(tmp_path / "there")


def test_what_is_no_archive_is_said_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("howdah: 1\n")
    for name, what in (("plan.yaml", "not an exported run, or damaged"), (".", "is a directory")):
        with pytest.raises(HowdahError) as error:
            import_run(tmp_path / name, tmp_path / "runs")
        assert error.value.what == what
