"""Draw docs/images/plan.png: the page of README's plan, whose answer the picture's file keeps as text.

.venv/bin/python scripts/plan_picture.py
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/images/plan.png"
PLAN = ("plan", "examples/hosts-nvme.yaml", "--protect-masters", "ha")
_HEADER = 33
"""The signature of a PNG and its first chunk, which says how large it is."""


def main() -> None:
    """Plan as README does, and write the picture of the page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [Path(sys.executable).with_name("howdah"), *PLAN, "--output", f"{folder}/plan.yaml"]
        shown = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1040, "height": 1060})
        page.goto(Path(folder, "plan.html").as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        picture = page.screenshot()
        browser.close()
    text = b"tEXtanswer\0" + shown.splitlines()[0].encode("latin-1")
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    PICTURE.write_bytes(picture[:_HEADER] + chunk + picture[_HEADER:])


if __name__ == "__main__":
    main()
