"""TLS: web pages and the shuffle are encrypted; no file of the configuration holds a password."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.planner.conditions import SECURE_MODE, SECURED, SECURED_HBASE, SECURED_MAPREDUCE
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rule import MUST, SHOULD
from howdah.planner.rules.declare import Rules, set_at_all

_FOLDER = "/etc/security/tls"
_PROVIDER = f"localjceks://file{_FOLDER}/hadoop.jceks"
_PASSWORDS = (
    "ssl.server.keystore.password",
    "ssl.server.keystore.keypassword",
    "ssl.server.truststore.password",
    "ssl.client.truststore.password",
    "ssl.client.keystore.password",
)
rules = Rules(file="ssl-server.xml")
secure = rules.under(when=SECURED, sources=SECURE_MODE, severity=MUST)
secure_mapreduce = rules.under(when=SECURED_MAPREDUCE, sources=SECURE_MODE, severity=MUST)
secure_hbase = rules.under(when=SECURED_HBASE, sources=SECURE_MODE, severity=MUST)

secure.fixed("tls.hdfs", "dfs.http.policy", "HTTPS_ONLY", SHOULD, file="hdfs-site.xml").text(
    "HDFS's web pages are served by HTTPS only.",
    "with dfs.data.transfer.protection DataNodes need no privileged ports",
)
secure_mapreduce.fixed("tls.yarn", "yarn.http.policy", "HTTPS_ONLY", SHOULD, file="yarn-site.xml").text(
    "YARN's web pages are served by HTTPS only.", "pages and logs may be confidential"
)
secure_mapreduce.fixed(
    "tls.history", "mapreduce.jobhistory.http.policy", "HTTPS_ONLY", SHOULD, file="mapred-site.xml"
).text("The history of jobs is served by HTTPS only.", "pages and logs may be confidential")
secure_mapreduce.fixed(
    "tls.shuffle", "mapreduce.shuffle.ssl.enabled", True, SHOULD, file="mapred-site.xml"
).text(
    "Map output is encrypted on the wire.",
    "calls and blocks are encrypted, so map output is too",
)
secure_hbase.fixed("tls.hbase", "hbase.ssl.enabled", True, SHOULD, file="hbase-site.xml").text(
    "HBase's web pages are served by HTTPS only.",
    "pages show names of tables, keys of regions and their users",
)
secure.fixed(
    "tls.server-store", "ssl.server.keystore.location", f"{_FOLDER}/host.jks", accepts=set_at_all
).text("Each host has its own key and certificate.", "readable by Hadoop's users only")
secure.fixed(
    "tls.server-trust", "ssl.server.truststore.location", f"{_FOLDER}/trust.jks", SHOULD, accepts=set_at_all
).text("Hosts trust the authority that signed their certificates.", "the same on all hosts")
secure.fixed(
    "tls.server-passwords", "hadoop.security.credential.provider.path", _PROVIDER, SHOULD, accepts=set_at_all
).text("Passwords of key stores are in a credential store.", "never in a file of the configuration")
secure.fixed(
    "tls.client-trust",
    "ssl.client.truststore.location",
    f"{_FOLDER}/trust.jks",
    file="ssl-client.xml",
    accepts=set_at_all,
).text(
    "Clients trust the authority that signed the hosts' certificates.",
    "the same on all hosts; it holds no secret",
)


@rules.inspection("tls.passwords", sources="Hadoop 3.5.0: credential providers, howdah")
def _passwords(reading: Inspected, facts: Facts) -> Iterable[Observation]:
    """No password of a key store is in a file of the configuration."""
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
