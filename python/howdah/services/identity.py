"""Who asks: the user, with a Kerberos ticket where there is one."""

from __future__ import annotations

import base64
import getpass
import os
import re
from collections.abc import Generator
from importlib import import_module
from typing import Any

import httpx

from howdah.errors import UserError
from howdah.extras import install_command
from howdah.services.errors import NeedsTicket

# How GSSAPI's errors end: the mechanism's own words, and what the library was doing.
_MINOR = re.compile(r"Minor \(\d+\): (.+?)(?:, Context: .*)?$")


def login_name() -> str:
    """Java's ``user.name``; raises UserError in a container whose user has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise UserError(
            f"user {os.getuid()}", "has no name on this machine", "set LOGNAME and HADOOP_USER_NAME"
        ) from error


def hadoop_user() -> str:
    """Who Hadoop's client says it is without Kerberos: ``$HADOOP_USER_NAME``, else the login name."""
    return os.environ.get("HADOOP_USER_NAME") or login_name()


class Negotiate(httpx.Auth):
    """Answers a server that asks for Negotiate with a token for it; others see nothing of it.

    A token is good for one server only, and Hadoop answers it with a cookie that does for what follows.
    """

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send a request, and once more with a token if that is asked for."""
        response = yield request
        if not _asks(response):
            return
        request.headers["Authorization"] = f"Negotiate {_token(request)}"
        response = yield request
        if _asks(response):
            raise _needs(
                request, "rejects the Kerberos ticket", "see its owner with klist; renew it with kinit"
            )


def _asks(response: httpx.Response) -> bool:
    asked = response.headers.get_list("WWW-Authenticate")
    return response.status_code == 401 and any(scheme.lower().startswith("negotiate") for scheme in asked)


def _token(request: httpx.Request) -> str:
    try:
        spnego: Any = import_module("spnego")
    except ImportError as error:
        hint = f"{install_command('kerberos')}, then kinit"
        raise _needs(request, "requires Kerberos, which needs the extra `kerberos`", hint) from error
    try:
        context = spnego.client(hostname=request.url.host, service="HTTP", protocol="kerberos")
        token: bytes = context.step()
    except Exception as error:  # The library passes on what GSSAPI raises, of many types.
        message = f"needs Kerberos, but you have no ticket for it: {_reason(error)}"
        raise _needs(request, message, "kinit") from error
    return base64.b64encode(token).decode()


def _reason(error: Exception) -> str:
    """What is wrong, without the numbers of GSSAPI's layers and its general words about them."""
    line = str(error).partition("\n")[0]
    own_words = _MINOR.search(line)
    return own_words[1] if own_words else line


def _needs(request: httpx.Request, message: str, hint: str) -> NeedsTicket:
    return NeedsTicket(str(request.url.copy_with(query=None)), 401, "", message, hint)
