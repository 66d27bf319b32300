"""A client's configuration directory: what Hadoop's own client would read from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS, default_port
from howdah.hadoop.site_files import SiteProperty, read_site_file
from howdah.model.plan import Role
from howdah.releases.catalogue import default_of, hadoop
from howdah.releases.values import expanded, read_list
from howdah.services.addresses import WebAddress, in_place_of_any, web_address
from howdah.services.identity import login_name

FILES = ("core-site.xml", "hdfs-site.xml", "hdfs-rbf-site.xml", "mapred-site.xml", "yarn-site.xml")
"""The files of a client, in the order in which later ones win: that of Configuration's resources in 3.5.0."""


@dataclass(frozen=True)
class ClientConf:
    """What a client's files say, with the defaults of the release where they say nothing."""

    directory: Path
    """The directory they are in."""
    properties: Mapping[str, SiteProperty]
    """Every property that is set, by its name of today."""

    @classmethod
    def read(cls, directory: Path) -> ClientConf:
        """Read a directory's files; raises UserError that names the file and its line."""
        if not (directory / FILES[0]).is_file():
            raise UserError(
                str(directory),
                f"has no {FILES[0]}" if directory.is_dir() else "is not a directory",
                "give the directory of the client's configuration, often /etc/hadoop/conf",
            )
        paths = [directory / name for name in FILES if (directory / name).is_file()]
        return cls(directory, _winners(entry for path in paths for entry in read_site_file(path)))

    def get(self, key: str) -> str | None:
        """A key's value, variables replaced; None if it is neither set nor has a default."""
        text = self._text(key)
        return None if text is None else expanded(text, self._variable)

    def given(self, key: str) -> str | None:
        """A key's value if a file sets it."""
        return self.get(key) if key in self.properties else None

    def where(self, key: str) -> str:
        """The file and line that set a key, for a message; the directory and the key if none does."""
        entry = self.properties.get(key)
        return f"{entry.where}: {key}" if entry else f"{self.directory}: {key}"

    def _text(self, key: str) -> str | None:
        entry = self.properties.get(key)
        return entry.text if entry else default_of(key, hadoop())

    def _variable(self, name: str) -> str | None:
        return login_name() if name == "user.name" else self._text(name)

    @property
    def default_fs(self) -> str:
        """fs.defaultFS, ``hdfs://master:8020``; UserError if it is not HDFS."""
        given = self.get("fs.defaultFS") or ""
        text = given.rstrip("/")
        parts = urlsplit(text)
        if parts.scheme != "hdfs" or not parts.netloc:
            is_set = "fs.defaultFS" in self.properties
            raise UserError(
                self.where("fs.defaultFS"),
                f"{given or 'nothing'} is not HDFS" if is_set else "is not set",
                "set it to hdfs://HOST:PORT or hdfs://NAME",
            )
        return text

    @property
    def secure(self) -> bool:
        """Whether the cluster asks for Kerberos."""
        return self.get("hadoop.security.authentication") == "kerberos"

    def namenodes(self) -> tuple[WebAddress, ...]:
        """The web servers of the NameNodes that serve fs.defaultFS, more than one where they fail over."""
        service = urlsplit(self.default_fs).hostname or ""
        key, https = self._page(Role.NAMENODE)
        if service not in self._names("dfs.nameservices"):
            address = in_place_of_any(self.get(key) or "", service)
            return (web_address("", address, key=key, https=https),)
        ids = self._names(f"dfs.ha.namenodes.{service}")
        suffixes = {name: f".{service}.{name}" for name in ids} or {"": f".{service}"}
        return tuple(
            web_address(name, self._namenode(key, suffix), key=f"{key}{suffix}", https=https)
            for name, suffix in suffixes.items()
        )

    def _namenode(self, key: str, suffix: str) -> str:
        rpc_key = f"dfs.namenode.rpc-address{suffix}"
        host = urlsplit(f"//{self.given(rpc_key) or ''}").hostname
        given = self.given(f"{key}{suffix}")
        if given is None and host is None:
            raise UserError(
                self.where(f"{key}{suffix}"), "is not set", "give HOST:PORT of the NameNode's web server"
            )
        return in_place_of_any(given or self.get(key) or "", host or "localhost")

    def resource_managers(self) -> tuple[WebAddress, ...]:
        """The web servers of the ResourceManagers, more than one where they fail over."""
        key, https = self._page(Role.RESOURCEMANAGER)
        if self.get("yarn.resourcemanager.ha.enabled") != "true":
            address = in_place_of_any(self.get(key) or "", "localhost")
            return (web_address("", address, key=key, https=https),)
        ids = self._names("yarn.resourcemanager.ha.rm-ids")
        if not ids:
            raise UserError(
                self.where("yarn.resourcemanager.ha.rm-ids"), "is not set", "list the ResourceManagers"
            )
        return tuple(
            web_address(name, self._resource_manager(key, name), key=f"{key}.{name}", https=https)
            for name in ids
        )

    def _resource_manager(self, key: str, name: str) -> str:
        given = self.given(f"{key}.{name}")
        host_key = f"yarn.resourcemanager.hostname.{name}"
        host = self.given(host_key)
        if given is None and host is None:
            raise UserError(self.where(host_key), "is not set", "give the ResourceManager's host")
        return given or f"{host}:{default_port(key)}"

    def history(self) -> WebAddress:
        """The web server of the JobHistoryServer."""
        key, https = self._page(Role.JOB_HISTORY)
        host = urlsplit(f"//{self.given('mapreduce.jobhistory.address') or ''}").hostname or "localhost"
        return web_address("", in_place_of_any(self.get(key) or "", host), key=key, https=https)

    def nodemanager_url(self, address: str) -> str:
        """The web server of a NodeManager, whose ``HOST:PORT`` the ResourceManager and its jobs tell."""
        _, https = self._page(Role.NODEMANAGER)
        return f"{'https' if https else 'http'}://{address}"

    def _page(self, role: Role) -> tuple[str, bool]:
        """The key of a daemon's page, and whether it is encrypted."""
        page = DAEMONS[role].page
        key = page.key_with(self.get)
        return key, key != page.key

    def _names(self, key: str) -> tuple[str, ...]:
        return read_list(self.get(key) or "")


def _winners(properties: Iterable[SiteProperty]) -> dict[str, SiteProperty]:
    """The property that wins for every key, former names taken for today's."""
    release = hadoop()
    winners: dict[str, SiteProperty] = {}
    for entry in properties:
        for name in release.replacement(entry.name) or (entry.name,):
            if name not in winners or not winners[name].final:
                winners[name] = entry
    return winners
