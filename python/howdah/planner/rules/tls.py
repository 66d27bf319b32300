"""TLS: web pages and the shuffle are encrypted; no file of the configuration holds a password."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.planner.conditions import secure_hbase_rule, secure_mapreduce_rule, secure_rule
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import Inspection, Rule, Severity
from howdah.planner.values import fixed, set_at_all

_FOLDER = "/etc/security/tls"
_PROVIDER = f"localjceks://file{_FOLDER}/hadoop.jceks"
_PASSWORDS = (
    "ssl.server.keystore.password",
    "ssl.server.keystore.keypassword",
    "ssl.server.truststore.password",
    "ssl.client.truststore.password",
    "ssl.client.keystore.password",
)


def _passwords(reading: Reading, facts: Facts) -> Iterable[Observation]:
    for entry in reading.config.properties if reading.config else ():
        if entry.name in _PASSWORDS and entry.text and "${" not in entry.text:
            yield Observation(
                ok=False,
                about=entry.name,
                # The password itself is never repeated.
                found="a password in clear text",
                expected="no password in a file of the configuration, which many may read",
                fix=f"`hadoop credential create {entry.name} -provider {_PROVIDER}`, then remove it from "
                f"{entry.file}",
                where=entry.place,
            )


RULES: tuple[Rule, ...] = (
    secure_rule(
        id="tls.hdfs",
        file="hdfs-site.xml",
        key="dfs.http.policy",
        says="HDFS's web pages are served by HTTPS only.",
        severity=Severity.SHOULD,
        decide=fixed("HTTPS_ONLY", "with dfs.data.transfer.protection it frees DataNodes from root's ports"),
    ),
    secure_mapreduce_rule(
        id="tls.yarn",
        file="yarn-site.xml",
        key="yarn.http.policy",
        says="YARN's web pages are served by HTTPS only.",
        severity=Severity.SHOULD,
        decide=fixed("HTTPS_ONLY", "pages and logs hold what is not for all"),
    ),
    secure_mapreduce_rule(
        id="tls.history",
        file="mapred-site.xml",
        key="mapreduce.jobhistory.http.policy",
        says="The history of jobs is served by HTTPS only.",
        severity=Severity.SHOULD,
        decide=fixed("HTTPS_ONLY", "pages and logs hold what is not for all"),
    ),
    secure_mapreduce_rule(
        id="tls.shuffle",
        file="mapred-site.xml",
        key="mapreduce.shuffle.ssl.enabled",
        says="Map output is encrypted on the wire.",
        decide=fixed(True, "calls and blocks are encrypted: so is what lies between map and reduce"),
        severity=Severity.SHOULD,
    ),
    secure_hbase_rule(
        id="tls.hbase",
        file="hbase-site.xml",
        key="hbase.ssl.enabled",
        says="HBase's web pages are served by HTTPS only.",
        decide=fixed(True, "pages show names of tables, keys of regions and who asks for them"),
        severity=Severity.SHOULD,
    ),
    secure_rule(
        id="tls.server-store",
        file="ssl-server.xml",
        key="ssl.server.keystore.location",
        says="Each host has a key and a certificate of its own.",
        decide=fixed(f"{_FOLDER}/host.jks", "readable by Hadoop's users only"),
        accepts=set_at_all,
    ),
    secure_rule(
        id="tls.server-trust",
        severity=Severity.SHOULD,
        file="ssl-server.xml",
        key="ssl.server.truststore.location",
        says="Hosts know the authority that signed their certificates.",
        decide=fixed(f"{_FOLDER}/trust.jks", "the same on all hosts"),
        accepts=set_at_all,
    ),
    secure_rule(
        id="tls.server-passwords",
        severity=Severity.SHOULD,
        file="ssl-server.xml",
        key="hadoop.security.credential.provider.path",
        says="Passwords of key stores are in a credential store.",
        decide=fixed(_PROVIDER, "never in a file of the configuration"),
        accepts=set_at_all,
    ),
    secure_rule(
        id="tls.client-trust",
        file="ssl-client.xml",
        key="ssl.client.truststore.location",
        says="Clients know the authority that signed the hosts' certificates.",
        decide=fixed(f"{_FOLDER}/trust.jks", "the same on all hosts; it holds no secret"),
        accepts=set_at_all,
    ),
    Inspection(
        id="tls.passwords",
        says="No password of a key store is in a file of the configuration.",
        sources=("Hadoop 3.5.0: credential providers", "howdah"),
        inspect=_passwords,
    ),
)
