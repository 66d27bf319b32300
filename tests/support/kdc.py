"""A real KDC for the hosts of a rig, a certificate authority beside it, and all that they hand to hosts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.daemons import LIB

REALM = "EXAMPLE.COM"
_PASSWORD = "of-this-rig-alone"
_CONFIGURATION = """\
[libdefaults]
  default_realm = {realm}
  dns_lookup_realm = false
  dns_lookup_kdc = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  {realm} = {{
    kdc = {address}:88
  }}
[domain_realm]
{hosts}
"""
_KDC = """\
[kdcdefaults]
  kdc_listen = {address}:88
  kdc_tcp_listen = {address}:88
[realms]
  {realm} = {{
    database_name = {folder}/principals
    key_stash_file = {folder}/stash
    acl_file = {folder}/nobody
    supported_enctypes = aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal
  }}
[logging]
  kdc = FILE:{folder}/kdc.log
"""
_TOOLS = {
    "krb5kdc": "krb5-kdc",
    "kadmin.local": "krb5-admin-server",
    "openssl": "openssl",
    "keytool": "a JDK",
}


def lacking_kdc() -> str:
    """What this machine lacks to have a KDC; empty where it lacks nothing."""
    missing = [package for tool, package in _TOOLS.items() if shutil.which(tool) is None]
    return f"{', '.join(missing)} is missing" if missing else ""


class Kdc:
    """A KDC that answers at an address."""

    def __init__(self, folder: Path, address: str, hosts: Sequence[str]) -> None:
        self.folder = folder
        self.hosts = hosts
        folder.mkdir(mode=0o700)
        names = "\n".join(f"  {host} = {REALM}" for host in hosts)
        self.configuration = _CONFIGURATION.format(realm=REALM, address=address, hosts=names)
        (folder / "krb5.conf").write_text(self.configuration)
        (folder / "kdc.conf").write_text(_KDC.format(realm=REALM, address=address, folder=folder))
        self.environment = {
            **os.environ,
            "KRB5_CONFIG": str(folder / "krb5.conf"),
            "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
        }
        self._run("kdb5_util", "create", "-s", "-r", REALM, "-P", _PASSWORD)

    def serve(self) -> subprocess.Popen[bytes]:
        """Answer from now on."""
        return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "krb5kdc", "-n"], env=self.environment)

    def keytab(self, path: Path, *principals: str) -> None:
        """Have principals, and write their keys, new ones, to a keytab."""
        path.unlink(missing_ok=True)
        for principal in principals:
            self._run("kadmin.local", "-q", f"addprinc -randkey {principal}")
            self._run("kadmin.local", "-q", f"ktadd -k {path} {principal}")
        path.chmod(0o600)

    def _run(self, *command: str) -> None:
        subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True)


@contextmanager
def kdc(folder: Path, address: str, hosts: Sequence[str]) -> Iterator[Kdc]:
    """A KDC that answers meanwhile."""
    made = Kdc(folder, address, hosts)
    process = made.serve()
    try:
        yield made
    finally:
        process.kill()
        process.wait()


def hand_out(folder: Path, made: Kdc, users: Mapping[str, Sequence[str]]) -> Path:
    """A folder as ``howdah deploy --secrets`` takes it; ``users`` says whose keytabs each host has."""
    folder.mkdir(mode=0o700)
    work = folder.parent / "authority"
    work.mkdir(mode=0o700)
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=authority",
             "-keyout", str(work / "ca.key"), "-out", str(folder / "ca.pem"))  # fmt: skip
    _keytool("-importcert", "-noprompt", "-alias", "authority", "-file", str(folder / "ca.pem"),
             "-keystore", str(folder / "trust.jks"), "-storetype", "JKS")  # fmt: skip
    (folder / "http_secret").write_bytes(os.urandom(32).hex().encode())
    for key in ("ssl.server.keystore.password", "ssl.server.keystore.keypassword"):
        store = f"localjceks://file{folder / 'hadoop.jceks'}"
        classes = "org.apache.hadoop.security.alias.CredentialShell"
        subprocess.run(
            ["java", "-cp", f"{LIB}/*", classes, "create", key, "-value", _PASSWORD, "-provider", store],
            check=True, capture_output=True,
        )  # fmt: skip
    for host, names in users.items():
        own = folder / host
        own.mkdir(mode=0o700)
        for name in names:
            file = "spnego" if name == "HTTP" else name
            made.keytab(own / f"{file}.service.keytab", f"{name}/{host}@{REALM}")
        certify(folder, host)
    return folder


def certify(folder: Path, host: str) -> None:
    """Give a host a key of its own, and a certificate for its name."""
    work, store = folder.parent / "authority", folder / host / "host.jks"
    key, asked, signed = (work / f"{host}.{end}" for end in ("key", "csr", "pem"))
    named = work / f"{host}.ext"
    named.write_text(f"subjectAltName=DNS:{host}\n")
    _openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={host}",
             "-keyout", str(key), "-out", str(asked))  # fmt: skip
    _openssl("x509", "-req", "-in", str(asked), "-CA", str(folder / "ca.pem"), "-CAkey",
             str(work / "ca.key"), "-CAcreateserial", "-days", "2", "-extfile", str(named),
             "-out", str(signed))  # fmt: skip
    bundle = work / f"{host}.p12"
    _openssl("pkcs12", "-export", "-name", host, "-inkey", str(key), "-in", str(signed),
             "-certfile", str(folder / "ca.pem"), "-passout", f"pass:{_PASSWORD}",
             "-out", str(bundle))  # fmt: skip
    store.unlink(missing_ok=True)
    _keytool("-importkeystore", "-noprompt", "-srckeystore", str(bundle), "-srcstoretype", "PKCS12",
             "-srcstorepass", _PASSWORD, "-destkeystore", str(store), "-deststoretype", "JKS",
             passwords=("-deststorepass", _PASSWORD))  # fmt: skip
    store.chmod(0o600)


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def _keytool(*words: str, passwords: Sequence[str] = ("-storepass", _PASSWORD)) -> None:
    subprocess.run(["keytool", *words, *passwords], check=True, capture_output=True)
