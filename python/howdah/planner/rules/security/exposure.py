"""What lets somebody in: proxies for everybody, files open to all, old protocols, names that fit no host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.named_hosts import has_several_hosts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.consistency.fair import uses_fair
from howdah.planner.rules.declare import Rules

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
rules = Rules()


@rules.inspection(
    "security.queue-rights",
    MUST,
    sources="Hadoop 3.5.0: CapacityScheduler",
    when="with Kerberos, where the queues are given",
)
def _queue_rights(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Only administrators and owners stop applications."""
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


@rules.inspection("security.proxy-users", sources="Hadoop 3.5.0: Superusers")
def _proxies(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A service that acts for others does so from its own hosts, or for some groups only."""
    given: dict[str, dict[str, str]] = {}
    for entry in reading.config.effective if reading.config else ():
        if match := _PROXY.fullmatch(entry.name):
            given.setdefault(match[1], {})[match[2]] = entry.text.strip()
    for user, limits in given.items():
        everybody = "*" in (limits.get("groups"), limits.get("users"))
        key = f"hadoop.proxyuser.{user}.hosts"
        yield reading.verdict(
            key,
            not (everybody and limits.get("hosts") == "*"),
            found=", ".join(f"{what} {text}" for what, text in limits.items()),
            expected=f"the hosts on which {user} runs: from any host it may now act for anybody",
            fix=f"set {key} to the hosts of {user} in core-site.xml",
        )


@rules.inspection("security.umask", sources="Hadoop 3.5.0: HdfsPermissionsGuide")
def _umask(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """New files cannot be written by everybody."""
    text = (reading.text(_UMASK) or "").strip()
    if re.fullmatch(r"[0-7]{3,4}", text):
        yield reading.verdict(
            _UMASK,
            bool(int(text[-1]) & 2),
            found=text,
            expected="022 or 027: whatever is made can be changed by everybody",
            fix=f"set {_UMASK} to 022 in {reading.where(_UMASK)}",
        )


@rules.inspection("security.tls-protocols", MUST, sources="Java 17")
def _protocols(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Encrypted pages use protocols that are not broken."""
    named = [protocol.strip() for protocol in (reading.text(_PROTOCOLS) or "").split(",") if protocol.strip()]
    if named:
        dead = [protocol for protocol in named if _DEAD.fullmatch(protocol)]
        yield reading.verdict(
            _PROTOCOLS,
            not dead,
            found=", ".join(named),
            expected="TLSv1.2 and TLSv1.3: the others are broken, and Java refuses them",
            fix=f"set {_PROTOCOLS} to TLSv1.2,TLSv1.3 in {reading.where(_PROTOCOLS)}",
        )


@rules.inspection("security.host-names", sources="Hadoop 3.5.0: EncryptedShuffle")
def _verifier(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A certificate is valid only for the host that it names."""
    if text := reading.text(_VERIFIER):
        yield reading.verdict(
            _VERIFIER,
            text not in _LAX,
            found=text,
            expected="DEFAULT: else any certificate that is trusted is accepted for any host",
            fix=f"set {_VERIFIER} to DEFAULT in {reading.where(_VERIFIER)}",
        )


# The file may be there on the hosts and not among those that were given.
@rules.inspection("security.key-store", sources="Hadoop 3.5.0: SecureMode")
def _server_store(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Where pages are encrypted there is a file that names the daemon's key store."""
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


@rules.inspection(
    "security.own-principals",
    MUST,
    sources="Hadoop 3.5.0: SecureMode",
    when="where the configuration names several hosts",
)
def _own_host(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Principals in a configuration that hosts share name no host."""
    if not has_several_hosts(reading):
        return
    for key, text in _principals(reading).items():
        if _OF_MANY.fullmatch(key) is None:
            continue
        service, _, rest = text.partition("/")
        host, _, realm = rest.partition("@")
        yield reading.verdict(
            key,
            host == "_HOST",
            found=text,
            expected="_HOST, which every daemon replaces by its own host's name",
            fix=f"set {key} to {service}/_HOST@{realm}",
        )


@rules.inspection("security.one-realm", sources="Hadoop 3.5.0: SecureMode")
def _one_realm(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """The daemons of a cluster are of one Kerberos realm."""
    realms: dict[str, list[str]] = {}
    for key, text in _principals(reading).items():
        realms.setdefault(text.rpartition("@")[2], []).append(key)
    if len(realms) > 1:
        most = max(realms, key=lambda realm: len(realms[realm]))
        for realm in realms.keys() - {most}:
            key = realms[realm][0]
            yield reading.verdict(
                key,
                False,
                found=f"realm {realm}; {len(realms[most])} other principals are of {most}",
                expected="one realm for a cluster's daemons, unless the two trust each other",
                fix=f"set the realm in {key} to {most}",
            )
