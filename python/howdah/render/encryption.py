"""Where daemons show their pages once they are encrypted: other addresses, by the plan's own policies."""

from __future__ import annotations

from howdah.model.plan import Plan
from howdah.model.value import planned_text

_ENCRYPTED = {
    # Where a page is encrypted: the key that says so, its value, and the key of the page's address then.
    "dfs.namenode.http-address": ("dfs.http.policy", "HTTPS_ONLY", "dfs.namenode.https-address"),
    "dfs.journalnode.http-address": ("dfs.http.policy", "HTTPS_ONLY", "dfs.journalnode.https-address"),
    "dfs.datanode.http.address": ("dfs.http.policy", "HTTPS_ONLY", "dfs.datanode.https.address"),
    "dfs.namenode.secondary.http-address": (
        "dfs.http.policy",
        "HTTPS_ONLY",
        "dfs.namenode.secondary.https-address",
    ),
    "yarn.resourcemanager.webapp.address": (
        "yarn.http.policy",
        "HTTPS_ONLY",
        "yarn.resourcemanager.webapp.https.address",
    ),
    "yarn.nodemanager.webapp.address": (
        "yarn.http.policy",
        "HTTPS_ONLY",
        "yarn.nodemanager.webapp.https.address",
    ),
    "mapreduce.jobhistory.webapp.address": (
        "mapreduce.jobhistory.http.policy",
        "HTTPS_ONLY",
        "mapreduce.jobhistory.webapp.https.address",
    ),
    "hbase.master.info.port": ("hbase.ssl.enabled", "true", "hbase.master.info.port"),
    "hbase.regionserver.info.port": ("hbase.ssl.enabled", "true", "hbase.regionserver.info.port"),
}


def page_key(plan: Plan, page: str) -> str:
    """The key of the address at which a daemon's page is in this plan.

    ``page`` is that of the page in the clear; it is another one where the plan has pages by HTTPS alone.
    """
    policy, value, encrypted = _ENCRYPTED.get(page, ("", "", page))
    return encrypted if policy and planned_text(plan, policy) == value else page
