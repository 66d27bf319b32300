"""Files that users name: where runs and predictions are kept by default; written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from howdah.errors import UserError

DEFAULT_RUNS_DIR = Path("runs")
DEFAULT_PREDICTIONS_DIR = Path("predictions")


def replace_file(path: Path, text: str) -> None:
    """Put a text where it belongs in one step; raises UserError, and leaves what was there as it was."""
    staged: Path | None = None
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            # A pipe or /dev/stdout takes the text; replacing it would take it from others.
            path.write_text(text, encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            staged = Path(file.name)
            file.write(text)
        staged.chmod(0o666 & ~_umask())
        staged.replace(path)
    except OSError as error:
        nowhere = isinstance(error, FileNotFoundError | NotADirectoryError)
        hint = (
            "give a file in an existing directory"
            if nowhere
            else "give a writable file on a disk with free space"
        )
        raise UserError(str(path), f"cannot be written: {error.strerror}", hint) from error
    finally:
        if staged is not None:
            staged.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
