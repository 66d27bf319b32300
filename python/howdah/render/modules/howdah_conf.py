"""Compare the settings on the page of each daemon of this host with its files; fail if they differ.

    howdah_conf:
      host: "{{ inventory_hostname }}"

It reads the daemons in the manifest that howdah_host applied. It changes nothing.
"""

from __future__ import annotations

from typing import List

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, reported
from howdah.render.modules.pages import set_login
from howdah.render.modules.units import applied, differences, page_of, show


@reported()
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Compare the settings of every daemon that runs."""
    wrong: List[Json] = []
    notes: List[str] = []
    result.update(changed=False, wrong=wrong, notes=notes)
    manifest = applied()
    set_login(manifest)
    for daemon in manifest.get("daemons", []):
        if show(daemon["unit"])["ActiveState"] != "active":
            continue
        try:
            different = differences(daemon, page_of(str(args["host"]), daemon))
        except OSError as error:
            notes.append(f"the settings of {daemon['name']} were not compared: {error}")
            continue
        wrong += (
            {
                "what": f"{daemon['name']} runs with {setting['key']} = "
                f"{setting['running'] or 'nothing'}, and {setting['planned']} is planned",
                "fix": f"systemctl restart {daemon['unit']}; see its log if that does not help",
            }
            for setting in different
        )
    if wrong:
        raise HostRefusal("; ".join(entry["what"] for entry in wrong))
