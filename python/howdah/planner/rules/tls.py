"""TLS: web pages and the shuffle are encrypted; no file of the configuration holds a password."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import read_rules

rules = read_rules("tls.toml")

_FOLDER = "/etc/security/tls"
_PROVIDER = f"localjceks://file{_FOLDER}/hadoop.jceks"
_PASSWORDS = (
    "ssl.server.keystore.password",
    "ssl.server.keystore.keypassword",
    "ssl.server.truststore.password",
    "ssl.client.truststore.password",
    "ssl.client.keystore.password",
)


@rules.inspects("tls.passwords")
def _passwords(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    for entry in reading.properties:
        if entry.name in _PASSWORDS and entry.text and "${" not in entry.text:
            yield entry_verdict(
                entry,
                False,
                # The password itself is never repeated.
                found="a password in clear text",
                expected="no password in a configuration file, which many users may read",
                fix=f"`hadoop credential create {entry.name} -provider {_PROVIDER}`, then remove it from "
                f"{entry.file}",
            )
