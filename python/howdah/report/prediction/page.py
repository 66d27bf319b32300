"""A page about predictions: the answer, its figure, its numbers, and what they rest on."""

from __future__ import annotations

import howdah
from howdah.report.document import data, drawn, environment, scripts, style
from howdah.report.prediction.content import PredictionContent


def prediction_page(said: PredictionContent, pictures: dict[str, str]) -> str:
    """The whole HTML document; ``pictures`` are the still figures as SVG, by figure id."""
    running = scripts()
    return (
        environment()
        .get_template("prediction.html.j2")
        .render(
            said=said,
            version=howdah.__version__,
            answer=drawn(said.figure, pictures) if said.figure else None,
            shown=[(section, [drawn(one, pictures) for one in section.figures]) for section in said.sections],
            style=style(),
            scripts=running,
            policy=running.policy(),
            data=data(said.name, said.figures()),
        )
    )
