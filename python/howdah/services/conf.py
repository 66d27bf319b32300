"""A client's configuration directory, read as Hadoop's own client reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.hadoop.config_files import CLIENT_FILES, SiteProperty, read_site_file
from howdah.hadoop.daemons import DAEMONS, default_port
from howdah.model.hostname import host_of
from howdah.model.plan import Role
from howdah.releases.catalogue import current_names, default_of, hadoop, resolved
from howdah.releases.values import is_true, read_list, winners
from howdah.services.addresses import WebAddress, web_address, with_host
from howdah.services.web import login_name


@dataclass(frozen=True)
class ClientConf:
    """The properties in a client's files, and the release's defaults of all others."""

    directory: Path
    properties: Mapping[str, SiteProperty]

    @classmethod
    def read(cls, directory: Path) -> ClientConf:
        """Read a directory's files; raise UserError with file and line."""
        if not (directory / CLIENT_FILES[0]).is_file():
            missing = "not a directory" if directory.exists() else "no such directory"
            problem = f"has no {CLIENT_FILES[0]}" if directory.is_dir() else missing
            hint = "give the directory of the client's configuration, often /etc/hadoop/conf"
            raise UserError(str(directory), problem, hint)
        paths = [directory / name for name in CLIENT_FILES if (directory / name).is_file()]
        entries = (entry for path in paths for entry in read_site_file(path))
        return cls(directory, winners(entries, current_names(hadoop())))

    def get(self, key: str) -> str | None:
        """Return a key's value, variables replaced; None if it has neither value nor default."""
        text = self._text(key)
        return None if text is None else resolved(text, self._text, hadoop())

    def explicit(self, key: str) -> str | None:
        """Return a key's value in the files; None if no file has it."""
        return self.get(key) if key in self.properties else None

    def where(self, key: str) -> str:
        """Return a key with its file and line, for a message; with the directory if no file has it."""
        entry = self.properties.get(key)
        return f"{entry.where}: {key}" if entry else f"{self.directory}: {key}"

    def _text(self, key: str) -> str | None:
        if key == "user.name":
            return login_name()
        entry = self.properties.get(key)
        return entry.text if entry else default_of(key, hadoop())

    @property
    def default_fs(self) -> str:
        """fs.defaultFS, ``hdfs://master:8020``; raises UserError if it is not HDFS."""
        value = self.get("fs.defaultFS") or ""
        text = value.rstrip("/")
        parts = urlsplit(text)
        if parts.scheme != "hdfs" or not parts.netloc:
            is_set = "fs.defaultFS" in self.properties
            problem = f"{value or 'nothing'} is not HDFS" if is_set else "is not set"
            raise UserError(self.where("fs.defaultFS"), problem, "set it to hdfs://HOST:PORT or hdfs://NAME")
        return text

    @property
    def secure(self) -> bool:
        return (self.get("hadoop.security.authentication") or "").lower() == "kerberos"

    def namenodes(self) -> tuple[WebAddress, ...]:
        """Return the web servers of fs.defaultFS's NameNodes, several if they fail over."""
        service = urlsplit(self.default_fs).hostname or ""
        key, https = self._page(Role.NAMENODE)
        if service not in self._names("dfs.nameservices"):
            return (web_address("", with_host(self.get(key) or "", service), key=key, https=https),)
        ids = self._names(f"dfs.ha.namenodes.{service}")
        suffixes = {name: f".{service}.{name}" for name in ids} or {"": f".{service}"}
        return tuple(
            web_address(name, self._namenode(key, suffix), key=f"{key}{suffix}", https=https)
            for name, suffix in suffixes.items()
        )

    def _namenode(self, key: str, suffix: str) -> str:
        rpc_key = f"dfs.namenode.rpc-address{suffix}"
        host = host_of(self.explicit(rpc_key) or "")
        address = self.explicit(f"{key}{suffix}")
        if address is None and not host:
            hint = "give HOST:PORT of the NameNode's web server"
            raise UserError(self.where(f"{key}{suffix}"), "is not set", hint)
        return with_host(address or self.get(key) or "", host or "localhost")

    def resource_managers(self) -> tuple[WebAddress, ...]:
        """Return the web servers of the ResourceManagers, several if they fail over."""
        key, https = self._page(Role.RESOURCEMANAGER)
        if not is_true(self.get("yarn.resourcemanager.ha.enabled")):
            address = with_host(self.get(key) or "", "localhost")
            return (web_address("", address, key=key, https=https),)
        ids_key, addresses = "yarn.resourcemanager.ha.rm-ids", []
        if not self._names(ids_key):
            raise UserError(self.where(ids_key), "is not set", "list the ResourceManagers")
        for name in self._names(ids_key):
            own_key, host_key = f"{key}.{name}", f"yarn.resourcemanager.hostname.{name}"
            own, host = self.explicit(own_key), self.explicit(host_key)
            if own is None and host is None:
                raise UserError(self.where(host_key), "is not set", "give the ResourceManager's host")
            address = own or f"{host}:{default_port(key)}"
            addresses.append(web_address(name, address, key=own_key, https=https))
        return tuple(addresses)

    def masters(self) -> dict[Role, tuple[WebAddress, ...]]:
        """Return the web servers of the NameNodes and of the ResourceManagers."""
        return {Role.NAMENODE: self.namenodes(), Role.RESOURCEMANAGER: self.resource_managers()}

    def history(self) -> WebAddress:
        key, https = self._page(Role.JOB_HISTORY)
        host = host_of(self.explicit("mapreduce.jobhistory.address") or "") or "localhost"
        return web_address("", with_host(self.get(key) or "", host), key=key, https=https)

    def nodemanager_url(self, address: str) -> str:
        """Return the URL of a NodeManager's web server at ``HOST:PORT``."""
        _, https = self._page(Role.NODEMANAGER)
        return f"{'https' if https else 'http'}://{address}"

    def _page(self, role: Role) -> tuple[str, bool]:
        page = DAEMONS[role].page
        key = page.key_with(self.get)
        return key, key != page.key

    def _names(self, key: str) -> tuple[str, ...]:
        return read_list(self.get(key) or "")


CONF_DIR = "HADOOP_CONF_DIR"  # The environment variable that names a client's configuration directory.


def conf_directory(directory: Path | None, variable: str = CONF_DIR) -> Path | None:
    """Return the directory of a flag, otherwise that of an environment variable; None without both."""
    named = os.environ.get(variable)
    return directory or (Path(named) if named else None)
