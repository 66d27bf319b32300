"""Who asks."""

from __future__ import annotations

import getpass
import os

from howdah.errors import UserError


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
