"""What lets somebody in: proxies for everybody, files open to all, old protocols, names that fit no host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.named_hosts import has_several_hosts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import Inspection, Rule, Severity
from howdah.planner.rules.consistency.fair import uses_fair

_PROXY = re.compile(r"hadoop\.proxyuser\.([^.]+)\.(hosts|groups|users)")
_UMASK = "fs.permissions.umask-mode"
_PROTOCOLS = "hadoop.ssl.enabled.protocols"
_DEAD = re.compile(r"SSLv2Hello|SSLv2|SSLv3|TLSv1(?:\.1)?")
_VERIFIER = "hadoop.ssl.hostname.verifier"
_LAX = ("ALLOW_ALL", "DEFAULT_AND_LOCALHOST")
_PRINCIPAL = re.compile(r"(?:dfs|yarn|hbase)\..*principal")
_OF_MANY = re.compile(r"(?:dfs|yarn|hbase)\.(?:datanode|journalnode|nodemanager|regionserver)\..*principal")
"""Principals of daemons that run on several hosts with one configuration."""
_ROOT_QUEUE = "yarn.scheduler.capacity.root"
_POLICIES = ("dfs.http.policy", "yarn.http.policy", "mapreduce.jobhistory.http.policy")


def _proxies(reading: Reading, facts: Facts) -> Iterator[Observation]:
    given: dict[str, dict[str, str]] = {}
    for entry in reading.config.effective if reading.config else ():
        if match := _PROXY.fullmatch(entry.name):
            given.setdefault(match[1], {})[match[2]] = entry.text.strip()
    for user, limits in given.items():
        everybody = "*" in (limits.get("groups"), limits.get("users"))
        key = f"hadoop.proxyuser.{user}.hosts"
        yield Observation(
            ok=not (everybody and limits.get("hosts") == "*"),
            about=key,
            found=", ".join(f"{what} {text}" for what, text in limits.items()),
            expected=f"the hosts on which {user} runs: from any host it may now act for anybody",
            fix=f"set {key} to the hosts of {user} in core-site.xml",
            where=reading.where(key),
        )


def _umask(reading: Reading, facts: Facts) -> Iterator[Observation]:
    text = (reading.text(_UMASK) or "").strip()
    if re.fullmatch(r"[0-7]{3,4}", text):
        yield Observation(
            ok=bool(int(text[-1]) & 2),
            about=_UMASK,
            found=text,
            expected="022 or 027: whatever is made can be changed by everybody",
            fix=f"set {_UMASK} to 022 in {reading.where(_UMASK)}",
            where=reading.where(_UMASK),
        )


def _protocols(reading: Reading, facts: Facts) -> Iterator[Observation]:
    named = [protocol.strip() for protocol in (reading.text(_PROTOCOLS) or "").split(",") if protocol.strip()]
    if named:
        dead = [protocol for protocol in named if _DEAD.fullmatch(protocol)]
        yield Observation(
            ok=not dead,
            about=_PROTOCOLS,
            found=", ".join(named),
            expected="TLSv1.2 and TLSv1.3: the others are broken, and Java refuses them",
            fix=f"set {_PROTOCOLS} to TLSv1.2,TLSv1.3 in {reading.where(_PROTOCOLS)}",
            where=reading.where(_PROTOCOLS),
        )


def _verifier(reading: Reading, facts: Facts) -> Iterator[Observation]:
    if text := reading.text(_VERIFIER):
        yield Observation(
            ok=text not in _LAX,
            about=_VERIFIER,
            found=text,
            expected="DEFAULT: else any certificate that is trusted is accepted for any host",
            fix=f"set {_VERIFIER} to DEFAULT in {reading.where(_VERIFIER)}",
            where=reading.where(_VERIFIER),
        )


def _server_store(reading: Reading, facts: Facts) -> Iterator[Observation]:
    encrypted = [key for key in _POLICIES if (reading.text(key) or "").startswith("HTTPS_ONLY")]
    if encrypted:
        file = reading.text("hadoop.ssl.server.conf") or "ssl-server.xml"
        yield Observation(
            ok=reading.has(file),
            about=file,
            found="there" if reading.has(file) else "not given",
            expected=f"{file}, which names the daemon's key store: with {encrypted[0]} HTTPS_ONLY it does "
            "not start "
            "without",
            fix=f"write ssl.server.keystore.location and ssl.server.truststore.location into {file}",
            where=file,
        )


def _principals(reading: Reading) -> dict[str, str]:
    return {
        entry.name: entry.text
        for entry in (reading.config.effective if reading.config else ())
        if _PRINCIPAL.fullmatch(entry.name) and "/" in entry.text and "@" in entry.text
    }


def _own_host(reading: Reading, facts: Facts) -> Iterator[Observation]:
    if not has_several_hosts(reading):
        return
    for key, text in _principals(reading).items():
        if _OF_MANY.fullmatch(key) is None:
            continue
        service, _, rest = text.partition("/")
        host, _, realm = rest.partition("@")
        yield Observation(
            ok=host == "_HOST",
            about=key,
            found=text,
            expected="_HOST, which every daemon replaces by its own host's name",
            fix=f"set {key} to {service}/_HOST@{realm}",
            where=reading.where(key),
        )


def _one_realm(reading: Reading, facts: Facts) -> Iterator[Observation]:
    realms: dict[str, list[str]] = {}
    for key, text in _principals(reading).items():
        realms.setdefault(text.rpartition("@")[2], []).append(key)
    if len(realms) > 1:
        most = max(realms, key=lambda realm: len(realms[realm]))
        for realm in realms.keys() - {most}:
            key = realms[realm][0]
            yield Observation(
                ok=False,
                about=key,
                found=f"realm {realm}; {len(realms[most])} other principals are of {most}",
                expected="one realm for a cluster's daemons, unless the two trust each other",
                fix=f"set the realm in {key} to {most}",
                where=reading.where(key),
            )


def _queue_rights(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Whether the root queue, whose rights all queues have, is open to everybody."""
    # Without Kerberos users are whoever they claim to be, and lists of them keep no user out.
    if not facts.request.secure or not reading.has("capacity-scheduler.xml") or uses_fair(reading):
        return
    if reading.has("yarn-site.xml") and reading.truth("yarn.acl.enable") is not True:
        # No list is checked then, which is a rule of its own.
        return
    key = f"{_ROOT_QUEUE}.acl_administer_queue"
    text = reading.text(key)
    yield Observation(
        ok=text is not None and "*" not in text,
        about=key,
        found=text if text is not None else "not set, which is *",
        expected="users and groups, or a blank for none: what the root queue allows all queues allow, and "
        "every user may stop every application as it is",
        fix=f"set {key} and {_ROOT_QUEUE}.acl_submit_applications to a blank or to administrators in "
        "capacity-scheduler.xml, and acl_submit_applications of each queue to those who use it",
        where=reading.where(key) or "capacity-scheduler.xml",
    )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="security.queue-rights",
        says="Only administrators and owners stop applications.",
        sources=("Hadoop 3.5.0: CapacityScheduler",),
        severity=Severity.MUST,
        condition="with Kerberos, where the queues are given",
        inspect=_queue_rights,
    ),
    Inspection(
        id="security.proxy-users",
        says="A service that acts for others does so from its own hosts, or for some groups only.",
        sources=("Hadoop 3.5.0: Superusers",),
        inspect=_proxies,
    ),
    Inspection(
        id="security.umask",
        says="New files cannot be written by everybody.",
        sources=("Hadoop 3.5.0: HdfsPermissionsGuide",),
        inspect=_umask,
    ),
    Inspection(
        id="security.tls-protocols",
        says="Encrypted pages use protocols that are not broken.",
        sources=("Java 17",),
        severity=Severity.MUST,
        inspect=_protocols,
    ),
    Inspection(
        id="security.host-names",
        says="A certificate is valid only for the host that it names.",
        sources=("Hadoop 3.5.0: EncryptedShuffle",),
        inspect=_verifier,
    ),
    Inspection(
        id="security.key-store",
        says="Where pages are encrypted there is a file that names the daemon's key store.",
        sources=("Hadoop 3.5.0: SecureMode",),
        # The file may be there on the hosts and not among those that were given.
        severity=Severity.SHOULD,
        inspect=_server_store,
    ),
    Inspection(
        id="security.own-principals",
        says="Principals in a configuration that hosts share name no host.",
        sources=("Hadoop 3.5.0: SecureMode",),
        severity=Severity.MUST,
        condition="where the configuration names several hosts",
        inspect=_own_host,
    ),
    Inspection(
        id="security.one-realm",
        says="The daemons of a cluster are of one Kerberos realm.",
        sources=("Hadoop 3.5.0: SecureMode",),
        inspect=_one_realm,
    ),
)
