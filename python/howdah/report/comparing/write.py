"""Write a comparison's page."""

from __future__ import annotations

from pathlib import Path

from howdah.model.comparison import Comparison
from howdah.report.comparing.content import content
from howdah.report.comparing.draw import Followed, draw
from howdah.report.comparing.markdown import comparison_markdown
from howdah.report.comparing.page import comparison_page
from howdah.report.folder import put
from howdah.report.picture import svg

PAGE, FIGURES = "compare.html", "figures"


def write_page(comparison: Comparison, followed: Followed, out_dir: Path) -> Path:
    """Write ``compare.html``, ``compare.md`` and ``figures/*.svg`` into ``out_dir``; return the page's path.

    ``compare.html`` stands alone; ``compare.md`` links the pictures beside it. Existing files of these
    names are replaced. Raises OSError if the directory cannot be written.
    """
    said = content(comparison)
    figures = draw(comparison, followed)
    pictures = {figure.id: svg(figure) for figure in figures.every()}
    put(
        out_dir,
        {
            **{f"{FIGURES}/{name}.svg": picture for name, picture in pictures.items()},
            "compare.md": comparison_markdown(said, figures, FIGURES),
            PAGE: comparison_page(said, figures, pictures),
        },
    )
    return out_dir / PAGE
