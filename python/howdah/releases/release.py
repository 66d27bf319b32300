"""What one release knows about configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from howdah.releases.similar import similar
from howdah.releases.values import MISFITS


@dataclass(frozen=True, slots=True)
class Property:
    """A name that a release reads, and what it reads it as."""

    name: str
    """The key; parts of a user's own stand in angle brackets: ``dfs.ha.namenodes.<nameservice>``."""
    file: str
    """The file that it is set in, such as ``hdfs-site.xml``."""
    default: str | None
    """The value when it is not set, variables unexpanded; None if there is none or it is not a constant."""
    kind: str
    """What a value must look like: a key of :data:`howdah.releases.values.MISFITS`."""
    description: str
    """One line of at most 200 characters; empty where the release says nothing."""


def fill(template: str, name: str) -> str | None:
    """The template with what a name has where the brackets are, which is the name if it is the template's.

    None if the name has too few parts or too many.
    """
    # With its dots gone, a bracket for several parts is one part of the template.
    parts, own = template.replace("...>", ">>").split("."), name.split(".")
    several = next((i for i, part in enumerate(parts) if part.endswith(">>")), None)
    if several is not None and len(own) >= len(parts):
        parts[several : several + 1] = ["<>"] * (len(own) - len(parts) + 1)
    if len(parts) != len(own) or "" in own:
        return None
    return ".".join(mine if part.startswith("<") else part for part, mine in zip(parts, own, strict=True))


@dataclass(frozen=True)
class Release:
    """A product, its version and the names it reads."""

    product: str
    """``hadoop`` or ``hbase``."""
    version: str
    properties: Mapping[str, Property]
    """Every property with a fixed name, by name."""
    templates: tuple[Property, ...]
    """Those whose names hold parts of a user's own."""
    deprecated: Mapping[str, tuple[str, ...]]
    """Former names that the release still takes, with the names each of them sets today."""
    gone: Mapping[str, str]
    """Names that older releases read and this one does not, with what to do instead."""
    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The daemons whose code names a key, or the beginning of keys, which ends with a dot; by that text.

    A text without any is named by clients' and jobs' code alone; one that is not here, by no code at all.
    """

    def find(self, name: str) -> Property | None:
        """The property of that name today; None for one that is unknown, deprecated or gone."""
        known = self.properties.get(name)
        if known is not None or name in self.deprecated or name in self.gone:
            return known
        return self._template(name)

    @cached_property
    def _template(self) -> Callable[[str], Property | None]:
        """The template that a name fills, remembered: rules look up the same names again and again."""
        beginnings = [(template.name.partition("<")[0], template) for template in self.templates]

        @lru_cache(maxsize=8192)
        def template_of(name: str) -> Property | None:
            # Most templates begin with other text, which is compared faster than they are filled.
            alike = (template for beginning, template in beginnings if name.startswith(beginning))
            return next((template for template in alike if fill(template.name, name) == name), None)

        return template_of

    def knows(self, name: str) -> bool:
        """Whether this release reads a property of that name, or an older one did."""
        return self.find(name) is not None or name in self.deprecated or name in self.gone

    def replacement(self, name: str) -> tuple[str, ...]:
        """The names that a deprecated name sets, which may be gone since; none for any other name."""
        return self.deprecated.get(name, ())

    def close_names(self, name: str) -> tuple[str, ...]:
        """The known names that differ from a misspelt one by two letters at most, nearest first.

        Which of them is meant depends on their readers as well: howdah.hadoop.misspelt.
        """
        filled = (fill(template.name, name) for template in self.templates)
        names = [*self.properties, *(candidate for candidate in filled if candidate is not None)]
        return similar(name, names, self.scopes)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """The first two parts of names, which say for which program they are: ``dfs.namenode``."""
        return frozenset(".".join(name.split(".")[:2]) for name in self.properties if name.count(".") > 1)

    def misfit(self, name: str, text: str) -> str | None:
        """What is wrong with a value, to be read after it: ``0.5`` *is not a whole number*.

        None if nothing is, if it is the default or holds a variable (``${…}``), or if the name is not known.
        """
        known = self.find(name)
        # Some defaults are empty where a number is read: the code asks first whether there is a value.
        if known is None or "${" in text or text == known.default:
            return None
        if known.kind == "bool" and {"0": "false", "1": "true"}.get(text.strip()) == known.default:
            # What is neither true nor false is taken for the default, which is what is meant.
            return None
        return MISFITS[known.kind](text.strip())
