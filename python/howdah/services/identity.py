"""The user of requests, with a Kerberos ticket if there is one."""

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

# The end of GSSAPI's errors: the mechanism's message, and the library's context.
_MINOR = re.compile(r"Minor \(\d+\): (.+?)(?:, Context: .*)?$")


def login_name() -> str:
    """Return Java's ``user.name``; raise UserError in a container whose user has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise UserError(
            f"user {os.getuid()}", "has no name on this machine", "set LOGNAME and HADOOP_USER_NAME"
        ) from error


def hadoop_user() -> str:
    """Return the user of Hadoop's client without Kerberos: ``$HADOOP_USER_NAME`` or the login name."""
    return os.environ.get("HADOOP_USER_NAME") or login_name()


class Negotiate(httpx.Auth):
    """Sends a token to a server that requires Negotiate, and to no other.

    A token is valid for one server only. Hadoop answers with a cookie, which is enough for later requests.
    """

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send a request, and again with a token if the server requires one."""
        response = yield request
        if not _requires_negotiate(response):
            return
        request.headers["Authorization"] = f"Negotiate {_token(request)}"
        response = yield request
        if _requires_negotiate(response):
            raise _ticket_error(
                request, "rejects the Kerberos ticket", "see its owner with klist; renew it with kinit"
            )


def _requires_negotiate(response: httpx.Response) -> bool:
    schemes = response.headers.get_list("WWW-Authenticate")
    return response.status_code == 401 and any(scheme.lower().startswith("negotiate") for scheme in schemes)


def _token(request: httpx.Request) -> str:
    try:
        spnego: Any = import_module("spnego")
    except ImportError as error:
        hint = f"{install_command('kerberos')}, then kinit"
        raise _ticket_error(request, "requires Kerberos, which needs the extra `kerberos`", hint) from error
    try:
        context = spnego.client(hostname=request.url.host, service="HTTP", protocol="kerberos")
        token: bytes = context.step()
    except Exception as error:  # The library passes on what GSSAPI raises, of many types.
        message = f"needs Kerberos, but you have no ticket for it: {_reason(error)}"
        raise _ticket_error(request, message, "kinit") from error
    return base64.b64encode(token).decode()


def _reason(error: Exception) -> str:
    """Return the reason in an error of GSSAPI, without its numbers and general text."""
    line = str(error).partition("\n")[0]
    own_words = _MINOR.search(line)
    return own_words[1] if own_words else line


def _ticket_error(request: httpx.Request, message: str, hint: str) -> NeedsTicket:
    return NeedsTicket(str(request.url.copy_with(query=None)), 401, "", message, hint)
