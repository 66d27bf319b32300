"""Keep what the administrator hands over to this host: keytabs, key stores, the secret of web sessions.

    howdah_secrets:
      contents: {"hdfs.service.keytab": "BASE64"}

They come by Ansible's own connection, are in no argument of a program, and are kept for root alone in
/var/lib/howdah/secrets; howdah_host puts each where it belongs.
"""

from __future__ import annotations

import base64
import json

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, alone, reported
from howdah.render.modules.secrets import keep


@reported(ValueError)
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Keep every secret that is handed over."""
    result["changed"] = False
    contents = args["contents"]
    texts: Json = json.loads(contents) if isinstance(contents, str) else contents
    with alone():
        for name, text in texts.items():
            if "/" in name or name in ("", ".", ".."):
                raise HostRefusal(f"{name} is not a file name")
            result["changed"] |= keep(name, base64.b64decode(text, validate=True))
