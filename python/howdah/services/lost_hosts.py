"""When a host is lost: nobody takes note of what is sent to it, however patient the question is.

The kernel of a host that lives acknowledges what arrives, also while a daemon on it collects its garbage for
a minute. So a question may wait long for its answer, and yet give up soon where nothing is acknowledged.
"""

from __future__ import annotations

import errno
import socket

UNHEARD_S = 5.0
"""How long what was sent may go without an acknowledgement, and how long a connection may take."""

_OPTION = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(UNHEARD_S * 1000))
SOCKET_OPTIONS = (_OPTION,)
"""What has the kernel give up a connection to a host that is lost."""

_LOST = {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH}


def is_lost(error: OSError) -> bool:
    """Whether the kernel gave a host up: to ask it again at once would only take as long again."""
    return error.errno in _LOST


def give_up_soon(line: socket.socket) -> None:
    """Have a connection end once its host is lost."""
    line.setsockopt(*_OPTION)
