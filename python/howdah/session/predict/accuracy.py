"""docs/accuracy.md from the calibration that howdah ships.

``python -m howdah.session.predict.accuracy docs/accuracy.md`` renews it; a test holds the two together.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

from howdah.calibrate.document import accuracy_page
from howdah.simulation.calibrations import PUBLISHED, load_calibration


def page() -> str:
    """The page's text."""
    about = (files("howdah.calibrate") / "accuracy.md").read_text(encoding="utf-8")
    return accuracy_page(load_calibration(PUBLISHED), about)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
