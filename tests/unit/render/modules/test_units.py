"""The word for all that a daemon has read: its configuration, and what it was handed."""

from __future__ import annotations

from howdah.render.modules.units import word


def test_without_kerberos_it_is_the_configurations_own() -> None:
    assert word({"configuration": "0123"}) == "0123"


def test_another_secret_is_another_word() -> None:
    words = [
        word({"configuration": one, "handed": {"host.jks": digest}})
        for one, digest in (("0123", "a"), ("0123", "b"), ("4567", "a"))
    ]
    assert len({*words, "0123", "4567"}) == 5
