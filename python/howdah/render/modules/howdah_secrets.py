"""Keep what the administrator hands over to this host: keytabs, key stores, the secret of web sessions.

    howdah_secrets:
      contents: {"hdfs.service.keytab": "BASE64"}

They come by Ansible's own connection, are in no argument of a program, and are kept for root alone in
/var/lib/howdah/secrets; howdah_host puts each where it belongs.
"""

from __future__ import annotations

import base64
import json

from howdah.render.modules.changes import HostRefusal, Json, alone, refused
from howdah.render.modules.secrets import keep


def main(arguments: bytes) -> None:
    """Read the arguments, do it, and print the result."""
    args: Json = json.loads(arguments)
    result: Json = {"changed": False}
    try:
        contents = args["contents"]
        texts: Json = json.loads(contents) if isinstance(contents, str) else contents
        with alone():
            for name, text in texts.items():
                if "/" in name or name in ("", ".", ".."):
                    raise HostRefusal(f"{name} is not a file name")
                result["changed"] |= keep(name, base64.b64decode(text, validate=True))
    except (HostRefusal, OSError, ValueError) as error:
        result.update(refused(error))
    print(json.dumps(result))
