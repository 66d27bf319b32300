"""What can go wrong when a daemon is asked.

ServiceError            a daemon did not answer as it should
├── NotReachable        nobody listens, the name is unknown, or no answer came in time
│   └── NotConnected    it was not even asked: there was no connection to it
├── Refused             it answered with an HTTP error; Hadoop's own exception where it gave one
│   └── NeedsTicket     it asks for Kerberos, and there is no ticket or no library for one
└── Unexpected          it answered with something else than was asked for, such as a page
"""

from __future__ import annotations

from howdah.errors import RunFailed


class ServiceError(RunFailed):
    """A daemon did not answer as it should; ``where`` is its URL without what a query may hold."""


class NotReachable(ServiceError):
    """Nobody listens, the name is unknown, or no answer came in time."""


class NotConnected(NotReachable):
    """There was no connection to the daemon: it was not asked, and has done nothing."""


class Refused(ServiceError):
    """The daemon answered with an HTTP error.

    ``status`` is HTTP's, ``exception`` the simple name of Hadoop's own (``AccessControlException``), empty
    where there is none, and ``message`` the first line of what it says.
    """

    def __init__(self, where: str, status: int, exception: str, message: str, hint: str = "") -> None:
        # Hadoop's own exception says more than the number of HTTP's that goes with it.
        words = [exception] if exception else [f"answers {status}"]
        super().__init__(where, ": ".join([*words, message] if message else words), hint)
        self.status = status
        self.exception = exception
        self.message = message


class NeedsTicket(Refused):
    """The daemon asks for Kerberos, and there is no ticket, or no library to use one."""


class Unexpected(ServiceError):
    """The daemon answered with something else than was asked for."""
