"""Colours: all tokens in both themes, text that can be read, series that colour-blind eyes tell apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from howdah.report.vega import DARK, LIGHT, coloured

THEMES = {"light": LIGHT, "dark": DARK}

TOGETHER = (
    ("cpu-user", "cpu-system", "cpu-iowait", "cpu-steal"),
    ("cpu-user", "cpu-system", "cpu-others", "cpu-steal"),
    ("disk-read", "disk-write"),
    ("net-receive", "net-send"),
    ("memory-cached", "memory-dirty"),
    ("phase-1", "phase-2", "phase-3"),
    ("phase-1", "phase-2", "fault"),
    ("group-1", "group-2", "group-3", "group-4", "group-5", "group-6"),
)
"""Tokens that meet in one figure."""

VISION = {
    "full": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
"""Linear RGB as seen with each deficiency at full severity (Machado, Oliveira and Fernandes, 2009)."""


def _linear(colour: str) -> NDArray[np.float64]:
    channels = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _luminance(colour: str) -> float:
    return float(_linear(colour) @ [0.2126, 0.7152, 0.0722])


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _lab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_both_themes_name_the_same_things() -> None:
    assert LIGHT.keys() == DARK.keys()


@pytest.mark.parametrize("theme", THEMES)
def test_text_has_contrast(theme: str) -> None:
    palette = THEMES[theme]
    for token in ("ink", "muted", "fault"):
        assert _contrast(palette[token], palette["page"]) >= 4.5, token
    assert _contrast(palette["muted"], palette["band"]) >= 4.5
    for phase in ("phase-1", "phase-2", "phase-3"):
        assert _contrast(palette[f"on-{phase}"], palette[phase]) >= 4.5, phase


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_series_of_one_figure_stay_apart(theme: str, vision: str) -> None:
    palette = THEMES[theme]
    for tokens in TOGETHER:
        for one, other in combinations(tokens, 2):
            seen = [_lab(VISION[vision] @ _linear(palette[token])) for token in (one, other)]
            # A difference of 2.3 is just noticeable; ten times that is plain at a glance.
            assert np.linalg.norm(seen[0] - seen[1]) > 20, (one, other)


def test_no_two_resources_share_a_colour() -> None:
    for palette in THEMES.values():
        resources = [value for token, value in palette.items() if token[:3] in ("cpu", "dis", "mem", "net")]
        assert len(set(resources)) == len(resources)


def test_tokens_are_replaced_everywhere_but_in_data() -> None:
    spec = {"mark": {"color": "$ink"}, "range": ["$page"], "data": {"values": [{"name": "$ink"}]}}
    done = coloured(spec, LIGHT)
    assert done["mark"]["color"] == LIGHT["ink"]
    assert done["range"] == [LIGHT["page"]]
    assert done["data"]["values"] == [{"name": "$ink"}]


def test_an_unknown_token_is_a_defect() -> None:
    with pytest.raises(KeyError):
        coloured({"color": "$no-such-thing"}, LIGHT)
