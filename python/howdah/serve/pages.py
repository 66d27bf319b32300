"""What every page is made from, small enough to be handed to the process that makes one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import jinja2

import howdah
from howdah.model.reported import format_value
from howdah.model.run import Annotation
from howdah.report.html import Shell, environment
from howdah.serve.places import ServeSettings
from howdah.serve.security import POLICY

PACKAGE = "howdah.serve"

_PLACES = (("Runs", ""), ("Studies", "studies/"), ("Plan", "plan/"), ("Predictions", "predictions/"))
_JOBS = ("Jobs", "jobs/")
Trail = tuple[tuple[str, str | None], ...]

NOT_ANNOTATED: Mapping[str, Any] = {
    "run": None, "trail": (), "annotation": Annotation(), "annotation_error": "", "notable": False,
}  # fmt: skip
"""What pages that are no run's have in place of its row, its note and its tags."""


class Pages(NamedTuple):
    """The settings, and where scripts and styles are."""

    settings: ServeSettings
    static: bool  # Whether pages are files of an export, which no server answers for.
    assets: Mapping[str, str]

    def values(self, path: str, here: str = "") -> dict[str, Any]:
        """What every page is given: how it gets to the others, and what may be done."""
        settings = self.settings
        places = [*_PLACES, *([("Checks", "checks/")] if settings.conf else [])]
        if settings.jobs_dir.is_dir():
            places.append(_JOBS)
        if settings.allow_runs and not self.static:
            places.append(("Start", "start/"))
        return {
            "root": "../" * (path.count("/") - 1) or "./",
            "places": places,
            "here": here,
            "static": self.static,
            "read_only": settings.read_only,
            "by_cookie": not settings.loopback and not self.static,
            "asset": self.assets.__getitem__,
            "site_policy": POLICY,
            "policy": POLICY,
            "version": howdah.__version__,
        }

    def page(self, template: str, path: str, here: str = "", **values: Any) -> str:
        """A page of the server's own."""
        made = templates().get_template(template)
        return made.render(**self.values(path, here), **values)

    def shell(self, path: str, here: str, *names: str, **values: Any) -> Shell:
        """What a report's page stands in, with the trail of its ``names`` if there are any."""
        templates()
        own = self.values(path, here)
        # The page's own policy and version are those of the report.
        del own["policy"], own["version"]
        led = {"trail": trail(here, *names)} if names else {}
        return Shell(PACKAGE, "shown.html.j2", {**NOT_ANNOTATED, **own, **led, **values})


def trail(here: str, *names: str) -> Trail:
    """What leads to a page: its place, the pages between, and its own name, which is no link."""
    place = dict((*_PLACES, _JOBS))[here]
    between = ((name, f"{place}{name}/") for name in names[:-1])
    return ((here, place), *between, (names[-1], None))


def templates() -> jinja2.Environment:
    """The server's templates, with its filters."""
    made = environment(PACKAGE)
    made.filters.setdefault("seconds", lambda seconds: format_value(seconds, "s"))
    made.filters.setdefault("sentence", sentence)
    made.filters.setdefault("moment", moment)
    made.filters.setdefault("short_moment", short_moment)
    return made


def moment(created: str) -> str:
    """A time of a record as a list shows it, to the minute and in UTC."""
    return created[:16].replace("T", " ")


def short_moment(created: str) -> str:
    """A time of a record in a narrow column, in UTC: ``28 Nov 13:48``, of another year ``28 Nov 2025``."""
    try:
        time = datetime.fromisoformat(created).astimezone(UTC)
    except ValueError:
        return created[:16]
    return f"{time:%-d %b %H:%M}" if time.year == datetime.now(UTC).year else f"{time:%-d %b %Y}"


def sentence(text: str) -> str:
    """A hint as a sentence that follows another one; a command or a flag keeps its small letter."""
    plain = re.match(r"(?!howdah )[a-z][a-z'-]*([ ,]|\.?$)", text)
    return (text[0].upper() + text[1:] if plain else text).rstrip(".") + "."
