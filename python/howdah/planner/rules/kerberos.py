"""Kerberos principals and keytabs of every service.

Principals are named after the users that daemons run as (``hdfs/_HOST@REALM``), so that Hadoop's
default mapping of principals to users needs no rules.
"""

from __future__ import annotations

from howdah.model.plan import Value
from howdah.planner.conditions import (
    SECURE_MODE,
    SECURED,
    SECURED_HBASE,
    SECURED_MAPREDUCE,
    secured,
    secured_pair,
)
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST, SHOULD, Decision
from howdah.planner.rules.declare import Condition, Rules, set_at_all
from howdah.planner.rules.security import KEYTABS, realm

_SECONDARY = "dfs.namenode.secondary.http-address"
_PAGES = ("resourcemanager-web", "nodemanager-web", "history-web", "hbase-web")


def _has_secondary(facts: Facts) -> bool:
    """Whether the cluster is planned with a SecondaryNameNode, or a configuration names its host."""
    return facts.planned or not str(facts.decided.get(_SECONDARY, "0.0.0.0")).startswith("0.0.0.0")


def is_principal(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept the principal of any service and realm: ``hdfs/_HOST@REALM``."""
    return "/" in str(value) and "@" in str(value)


def _login(rules: Rules, service: str, user: str, principal: str, keytab: str = "") -> None:
    """Declare the keys of a service's principal and keytab, and the user it runs as."""
    rules.setting(
        f"kerberos.{service}-principal",
        principal,
        SHOULD if service in _PAGES else MUST,
        accepts=is_principal,
    ).by(
        f"The principal is {user}/_HOST.",
        lambda facts: Decision(
            f"{user}/_HOST@{realm(facts)}",
            "each host replaces _HOST by its own name; the first part is the user",
        ),
    )
    if keytab:
        file = f"{KEYTABS}/{'spnego' if user == 'HTTP' else user}.service.keytab"
        # A daemon whose pages need no login starts without; HDFS's pages take the daemon's own keytab
        # (DFSUtil.getSpnegoKeytabKey).
        severity = SHOULD if service in (*_PAGES, "hdfs-web") else MUST
        rules.fixed(f"kerberos.{service}-keytab", keytab, file, severity, accepts=set_at_all).text(
            f"The keytab is {file}.", "readable by its service only"
        )


rules = Rules(severity=MUST, sources=SECURE_MODE)
core = rules.under(file="core-site.xml", when=SECURED)
hdfs = rules.under(file="hdfs-site.xml", when=SECURED)
pair = rules.under(file="hdfs-site.xml", when=Condition("with --secure and ha", secured_pair))
single = rules.under(
    file="hdfs-site.xml",
    when=Condition(
        "with --secure, without ha, if a SecondaryNameNode has a host",
        lambda facts: secured(facts) and not secured_pair(facts) and _has_secondary(facts),
    ),
)
yarn = rules.under(file="yarn-site.xml", when=SECURED_MAPREDUCE)
mapred = rules.under(file="mapred-site.xml", when=SECURED_MAPREDUCE)
hbase = rules.under(file="hbase-site.xml", when=SECURED_HBASE)

_login(hdfs, "namenode", "hdfs", "dfs.namenode.kerberos.principal", "dfs.namenode.keytab.file")
_login(
    single,
    "secondary",
    "hdfs",
    "dfs.secondary.namenode.kerberos.principal",
    "dfs.secondary.namenode.keytab.file",
)
_login(hdfs, "datanode", "hdfs", "dfs.datanode.kerberos.principal", "dfs.datanode.keytab.file")
_login(pair, "journalnode", "hdfs", "dfs.journalnode.kerberos.principal", "dfs.journalnode.keytab.file")
_login(pair, "journalnode-web", "HTTP", "dfs.journalnode.kerberos.internal.spnego.principal")
_login(
    hdfs,
    "hdfs-web",
    "HTTP",
    "dfs.web.authentication.kerberos.principal",
    "dfs.web.authentication.kerberos.keytab",
)
_login(
    core,
    "web",
    "HTTP",
    "hadoop.http.authentication.kerberos.principal",
    "hadoop.http.authentication.kerberos.keytab",
)
_login(yarn, "resourcemanager", "yarn", "yarn.resourcemanager.principal", "yarn.resourcemanager.keytab")
_login(
    yarn,
    "resourcemanager-web",
    "HTTP",
    "yarn.resourcemanager.webapp.spnego-principal",
    "yarn.resourcemanager.webapp.spnego-keytab-file",
)
_login(yarn, "nodemanager", "yarn", "yarn.nodemanager.principal", "yarn.nodemanager.keytab")
_login(
    yarn,
    "nodemanager-web",
    "HTTP",
    "yarn.nodemanager.webapp.spnego-principal",
    "yarn.nodemanager.webapp.spnego-keytab-file",
)
_login(mapred, "history", "mapred", "mapreduce.jobhistory.principal", "mapreduce.jobhistory.keytab")
_login(
    mapred,
    "history-web",
    "HTTP",
    "mapreduce.jobhistory.webapp.spnego-principal",
    "mapreduce.jobhistory.webapp.spnego-keytab-file",
)
_login(hbase, "hmaster", "hbase", "hbase.master.kerberos.principal", "hbase.master.keytab.file")
_login(
    hbase, "regionserver", "hbase", "hbase.regionserver.kerberos.principal", "hbase.regionserver.keytab.file"
)
_login(
    hbase,
    "hbase-web",
    "HTTP",
    "hbase.security.authentication.spnego.kerberos.principal",
    "hbase.security.authentication.spnego.kerberos.keytab",
)
