"""A machine that was measured, with figures that are easy to reckon with."""

from __future__ import annotations

from pathlib import Path

from howdah.model.host import FileSystem, Host
from howdah.model.measured import (
    CodecCost,
    DirectoryRates,
    Measured,
    MeasuredFigure,
    RowCosts,
    SortCost,
    StreamRates,
)
from howdah.probe import probe_host
from howdah.probe.tree import Space
from howdah.units import GIB
from support.trees import RecordedInquiry, grow

READ_BYTES_PER_S = 4e9
WRITE_BYTES_PER_S = 2e9


def measured_host(folder: Path, *data_dirs: str, spread: float = 0.0) -> Host:
    """A virtual machine of two CPUs whose root disk reads 4 GB/s and writes 2 GB/s.

    ``spread`` is how far the least and the most of each figure lie from its median, as a share.
    """
    host = probe_host(grow(folder, "firecracker-vm"), RecordedInquiry({"/": Space(10**12, 10**11, 4096)}))
    mount = host.mount_of(Path("/data"))
    disks = mount.disks if isinstance(mount, FileSystem) else ()
    rates = _rates(spread)
    measured = Measured(
        seconds=20.0,
        load_average=0.0,
        memory_copy_bytes_per_s=_figure(1e10, spread),
        rows=measured_rows(spread),
        directories=tuple(
            DirectoryRates(
                data_dir=name,
                disks=disks,
                rates=rates,
                operation_s=_figure(0.002, spread),
                request_s=_figure(1e-4, spread),
            )
            for name in data_dirs or ("/data",)
        ),
        together=rates,
    )
    memory = host.memory.model_copy(update={"available_bytes": 16 * GIB})
    return host.model_copy(update={"measured": measured, "memory": memory})


def _figure(value: float, spread: float) -> MeasuredFigure:
    return MeasuredFigure(value=value, least=value * (1 - spread), most=value * (1 + spread), repeats=5)


def _rates(spread: float) -> StreamRates:
    return StreamRates(
        read_bytes_per_s=_figure(READ_BYTES_PER_S, spread),
        write_bytes_per_s=_figure(WRITE_BYTES_PER_S, spread),
        copy_bytes_per_s=_figure(1 / (1 / READ_BYTES_PER_S + 1 / WRITE_BYTES_PER_S), spread),
        read_cpu_s_per_byte=_figure(1e-11, spread),
        write_cpu_s_per_byte=_figure(1e-10, spread),
        file_bytes=10**9,
        direct=True,
    )


def measured_rows(spread: float = 0.0) -> RowCosts:
    """What rows cost that machine."""
    sorts = [(16, 144_627, 2.2e-10, 2.5e-10), (256, 9_040, 2.0e-10, 4.7e-10)]
    codecs = [("lz4", 1.2e-9, 2.5e-10, 0.4), ("zstd", 1.8e-9, 6.7e-10, 0.29)]
    return RowCosts(
        threads=2,
        cpu_share=MeasuredFigure.of([1.0]),
        generate_s_per_byte=_figure(6e-11, spread),
        validate_s_per_byte=_figure(1.2e-10, spread),
        sorts=tuple(
            SortCost(
                memory_bytes=1 << 29,
                windows=windows,
                window_rows=rows,
                sort_s_per_byte=_figure(sort, spread),
                merge_s_per_byte=_figure(merge, spread),
            )
            for windows, rows, sort, merge in sorts
        ),
        codecs=tuple(
            CodecCost.model_validate(
                {
                    "codec": name,
                    "pack_s_per_byte": _figure(pack, spread),
                    "unpack_s_per_byte": _figure(unpack, spread),
                    "ratio": ratio,
                }
            )
            for name, pack, unpack, ratio in codecs
        ),
    )
