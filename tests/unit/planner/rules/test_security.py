"""Security: --secure sets all of it, and nothing else is ever weaker than the release's default."""

from __future__ import annotations

from itertools import product

import pytest

from howdah.errors import UserError
from howdah.model.plan import Value
from howdah.model.request import Demand, Protection
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected
from howdah.planner.rule import AdviceRule, SettingRule
from howdah.releases.catalogue import hadoop, hbase
from support.facts import (
    HADOOP_RULES,
    HBASE,
    MIX,
    TERASORT,
    a_configuration,
    asking,
    decided_by,
    facts_of,
    rule_named,
    seen,
    values_of,
    will_do,
)

# For every key that guards something: its values from the weakest to the strongest.
STRENGTH: dict[str, tuple[str, ...]] = {
    "dfs.block.access.token.enable": ("false", "true"),
    "dfs.data.transfer.protection": ("", "authentication", "integrity", "privacy"),
    "dfs.encrypt.data.transfer": ("false", "true"),
    "dfs.http.policy": ("HTTP_ONLY", "HTTP_AND_HTTPS", "HTTPS_ONLY"),
    "dfs.namenode.acls.enabled": ("false", "true"),
    "dfs.permissions.enabled": ("false", "true"),
    "hadoop.http.authentication.simple.anonymous.allowed": ("true", "false"),
    "hadoop.http.authentication.type": ("simple", "kerberos"),
    "hadoop.rpc.protection": ("authentication", "integrity", "privacy"),
    "hadoop.security.authentication": ("simple", "kerberos"),
    "hadoop.security.authorization": ("false", "true"),
    "hbase.coprocessor.enabled": ("false", "true"),
    "hbase.rpc.protection": ("authentication", "integrity", "privacy"),
    "hbase.security.authentication": ("simple", "kerberos"),
    "hbase.security.authentication.ui": ("simple", "kerberos"),
    "hbase.security.authorization": ("false", "true"),
    "hbase.ssl.enabled": ("false", "true"),
    "mapreduce.cluster.acls.enabled": ("false", "true"),
    "mapreduce.jobhistory.http.policy": ("HTTP_ONLY", "HTTPS_ONLY"),
    "mapreduce.shuffle.ssl.enabled": ("false", "true"),
    "yarn.acl.enable": ("false", "true"),
    "yarn.http.policy": ("HTTP_ONLY", "HTTPS_ONLY"),
}


def values(facts: Facts) -> dict[str, Value]:
    return values_of(HADOOP_RULES, facts)


UNORDERED = ("yarn.admin.acl", "yarn.scheduler.capacity.root.acl_administer_queue")
"""Keys that guard something, whose values have no order."""


def secure(
    workloads: tuple[Demand, ...] = TERASORT,
    protection: Protection = Protection.NONE,
    realm: str | None = None,
) -> Facts:
    request = asking(workloads, secure=True).model_copy(update={"protection": protection, "realm": realm})
    return facts_of(request=request)


@pytest.mark.parametrize(
    ("workloads", "secured", "protection"),
    list(product([TERASORT, HBASE, MIX], [False, True], [Protection.NONE, Protection.HA])),
)
def test_no_rule_makes_anything_weaker_than_the_release_does(
    workloads: tuple[Demand, ...], secured: bool, protection: Protection
) -> None:
    request = asking(workloads, secure=secured).model_copy(update={"protection": protection})
    for key, (rule, decision, _) in decided_by(HADOOP_RULES, facts_of(request=request)).items():
        if key not in STRENGTH:
            continue
        release = hbase("2.6.4") if rule.file == "hbase-site.xml" else hadoop("3.5.0")
        known = release.find(key)
        assert known is not None
        order = [value.lower() for value in STRENGTH[key]]
        default = (known.default or order[0]).lower()
        assert order.index(str(decision.value).lower()) >= order.index(default), key


def test_every_key_that_guards_something_and_is_ruled_is_in_the_table_above() -> None:
    words = (
        "secur",
        "protection",
        "encrypt",
        "acl",
        "permissions",
        "kerberos",
        "ssl",
        "http.policy",
        "token",
    )
    named = (
        "principal",
        "keytab",
        "location",
        "secret.file",
        "credential",
        "cipher",
        "coprocessor",
        "FromPrincipal",
        "servicePrincipal",
        "zk",
        "ha.",
    )
    for rule in (rule for rules in HADOOP_RULES for rule in rules if isinstance(rule, SettingRule)):
        guards = any(word in rule.key for word in words) and not any(word in rule.key for word in named)
        assert not guards or rule.key in STRENGTH or rule.key in UNORDERED, rule.key


def test_without_secure_the_network_must_be_trusted() -> None:
    rule = rule_named("security.trusted-network")
    assert isinstance(rule, AdviceRule)
    assert rule.holds(facts_of())
    assert not rule.holds(secure())
    assert "on a separate network" in str(rule.advise(facts_of()))
    assert "hadoop.security.authentication" not in values(facts_of())


def test_secure_turns_everything_on() -> None:
    decided = values(secure(MIX, Protection.HA))
    for key, order in STRENGTH.items():
        if key in decided:
            assert str(decided[key]).lower() == order[-1].lower(), key
    assert str(decided["yarn.nodemanager.container-executor.class"]).endswith("LinuxContainerExecutor")
    assert decided["ha.zookeeper.acl"] == "sasl:hdfs:rwcda"
    assert decided["hadoop.zk.acl"] == "sasl:yarn:rwcda"


def test_principals_are_named_after_users_hosts_and_the_realm() -> None:
    decided = values(secure(MIX, Protection.HA))
    principals = {
        key: str(value)
        for key, value in decided.items()
        if key.endswith("principal") and not key.endswith("keytab.file")
    }
    assert len(principals) >= 12
    assert all(value.endswith("/_HOST@EXAMPLE.COM") for value in principals.values())
    assert principals["dfs.journalnode.kerberos.principal"] == "hdfs/_HOST@EXAMPLE.COM"
    assert values(secure(realm="CORP.TEST"))["dfs.namenode.kerberos.principal"] == "hdfs/_HOST@CORP.TEST"


def test_every_principal_of_a_service_has_a_keytab() -> None:
    keytabs = [value for key, value in values(secure(MIX)).items() if "keytab" in key]
    assert len(keytabs) >= 9
    assert all(str(value).startswith("/etc/security/keytabs/") for value in keytabs)


def test_hosts_without_a_common_domain_need_a_realm() -> None:
    request = asking(secure=True)
    with pytest.raises(UserError) as refusal:
        values(facts_of(request=request, domain=""))
    assert refusal.value.where == "--realm"
    named = request.model_copy(update={"realm": "EXAMPLE.COM"})
    assert values(facts_of(request=named, domain=""))["hadoop.security.authentication"] == "kerberos"


def test_no_password_is_ever_decided() -> None:
    decided = values(secure(MIX, Protection.HA))
    assert [key for key in decided if "password" in key.lower()] == []
    assert str(decided["hadoop.security.credential.provider.path"]).startswith("localjceks://file/")


def test_a_password_in_a_file_is_found_and_not_repeated() -> None:
    found = a_configuration({"ssl.server.keystore.password": "hunter2"})
    assert seen("tls.passwords", found) == [False]
    rule = rule_named("tls.passwords")
    assert "hunter2" not in str(list(rule.inspect(Inspected(found), facts_of())))  # type: ignore[attr-defined]
    assert seen("tls.passwords", a_configuration({"ssl.server.keystore.password": ""})) == []


@pytest.mark.parametrize(
    ("rule", "found", "well"),
    [
        ("security.rpc", "integrity", True),
        ("security.rpc", "authentication", False),
        ("security.yarn-administrators", "*", False),
        ("security.yarn-administrators", "yarn,admins", True),
        ("security.authentication", "simple", False),
        ("tls.hdfs", "HTTP_ONLY", False),
        ("kerberos.namenode-principal", "nn/_HOST@EXAMPLE.COM", True),
        ("kerberos.namenode-principal", "nn", False),
    ],
)
def test_what_exists_on_a_secure_cluster_is_judged(rule: str, found: Value, well: bool) -> None:
    assert will_do(rule, found, secure()) is well


def test_the_counsel_tells_what_must_be_prepared() -> None:
    rule = rule_named("security.preparations")
    assert isinstance(rule, AdviceRule)
    told = str(rule.advise(secure()))
    for word in (
        "EXAMPLE.COM",
        "/etc/security/keytabs",
        "hadoop credential create",
        "container-executor.cfg",
    ):
        assert word in told
