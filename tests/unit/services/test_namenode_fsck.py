"""Where blocks lie is read from what fsck prints, and from nothing that only looks like it."""

from __future__ import annotations

import pytest

from howdah.services.errors import RefusedByDaemon, Unexpected
from howdah.services.namenode import Block, Replica, read_fsck
from support.recorded import recorded

POOL = "BP-1-10.0.0.1-1:"


def _text(name: str) -> str:
    return recorded(name).body.decode()


def _made(*lines: str, blocks: int) -> str:
    return "\n".join(
        [
            "FSCK started",
            "",
            *lines,
            "",
            "Status: HEALTHY",
            f" Total blocks (validated):\t{blocks} (avg …)",
            "",
        ]
    )


def test_every_block_with_its_replicas() -> None:
    blocks = read_fsck(_text("fsck.txt"), "/in")
    assert [block.file for block in blocks] == ["/in/part-m-00000"] * 2 + ["/in/part-m-00001"] * 2
    assert sum(block.size_bytes for block in blocks) == 80_000_000
    assert {block.target for block in blocks} == {1}
    assert {block.replicas for block in blocks} == {(Replica("/default-rack", "127.0.0.1:38671"),)}


def test_blocks_with_too_few_replicas() -> None:
    blocks = read_fsck(_text("fsck-under.txt"), "/in")
    assert [(block.target, len(block.replicas)) for block in blocks] == [(2, 1), (2, 1), (1, 1), (1, 1)]


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(RefusedByDaemon, match="no such path"):
        read_fsck(_text("fsck-missing.txt"), "/nope")


def test_node_groups_and_names_with_blanks() -> None:
    text = _made(
        "/a b/c 2 bytes, d 5 bytes, replicated: replication=3, 1 block(s):  OK",
        f"0. {POOL}blk_1_1 len=5 Live_repl=2  [/r1/g1/10.0.0.2:9866, /r1/g2/10.0.0.3:9866]",
        blocks=1,
    )
    replicas = (Replica("/r1/g1", "10.0.0.2:9866"), Replica("/r1/g2", "10.0.0.3:9866"))
    assert read_fsck(text, "/a") == [Block("/a b/c 2 bytes, d", f"{POOL}blk_1_1", 5, 3, replicas)]


def test_missing_blocks_have_no_replica() -> None:
    text = _made(
        "/a 5 bytes, replicated: replication=1, 1 block(s):  MISSING 1 blocks of total size 5 B",
        f"0. {POOL}blk_1_1 len=5 MISSING!",
        blocks=1,
    )
    assert read_fsck(text, "/a")[0].replicas == ()


def test_parts_of_an_erasure_coded_block() -> None:
    text = (
        _made(
            "/a 5 bytes, erasure-coded: policy=XOR-2-1-1024k, 1 block(s):  OK",
            f"0. {POOL}blk_-9_1 len=5 Live_repl=2  [blk_-9:/r/10.0.0.2:9866, blk_-8:/r/10.0.0.3:9866]",
            blocks=0,
        ).replace("\n\nStatus", "\n\nStatus", 1)
        + " Total block groups (validated):\t1 (avg …)\n"
    )
    (block,) = read_fsck(text, "/a")
    assert block.target is None
    assert [replica.address for replica in block.replicas] == ["10.0.0.2:9866", "10.0.0.3:9866"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "did not finish"),
        (_text("fsck.txt").partition("\nStatus")[0], "did not finish"),
        (_text("fsck.txt").replace(" len=", " length="), "is not understood"),
        (_text("fsck.txt").replace("1. BP-", "-  BP-"), "counts 4 blocks and lists 2"),
        (_text("fsck.txt").replace("Total block", "Blocks"), "counts 0 blocks and lists 4"),
        ("<html>\nAccess denied for user nobody. Superuser privilege is required", "Superuser privilege"),
    ],
)
def test_what_is_not_understood_is_said(text: str, what: str) -> None:
    with pytest.raises(Unexpected, match=what):
        read_fsck(text, "/in")
