"""Try every port of this host's daemons without a ticket; fail if one grants access.

    howdah_doors:
      host: "{{ inventory_hostname }}"

It reads the daemons in the manifest that howdah_host applied. It changes nothing.
"""

from __future__ import annotations

import json

from howdah.render.modules.changes import HostRefusal, Json, refused
from howdah.render.modules.doors import open_doors
from howdah.render.modules.units import applied


def main(arguments: bytes) -> None:
    """Read the arguments, try, and print the result."""
    args: Json = json.loads(arguments)
    result: Json = {"changed": False}
    try:
        manifest = applied()
        authority = manifest["kerberos"]["authority"]
        problems = [
            door
            for daemon in manifest["daemons"]
            for door in open_doors(daemon, str(args["host"]), authority)
        ]
        if problems:
            raise HostRefusal(
                f"clients without a ticket are admitted, or may be: {'; '.join(problems)}",
                "close these ports in the firewall until the plan's settings are corrected",
            )
    except (HostRefusal, OSError) as error:
        result.update(refused(error))
    print(json.dumps(result))
