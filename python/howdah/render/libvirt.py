"""Options of a virtual machine as libvirt's domain XML has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from howdah.errors import UserError
from howdah.model.plan import Setting, Worker
from howdah.render.text import named, reason_lines, setting_text
from howdah.render.xml import xml_comment

_PART = re.compile(r"@?[A-Za-z_][A-Za-z0-9_-]*")


def domain_fragment(worker: Worker, settings: Sequence[Setting]) -> str:
    """A ``<domain>`` with what every machine of one kind has, reasons first.

    A key such as ``cpu.@mode`` is a path of elements, its end an attribute where it has an ``@``.
    """
    domain = ElementTree.Element("domain", type="kvm")
    reasons = [f"For every machine of the kind {worker.name}: merge into its domain (virsh edit)."]
    for setting in settings:
        _put(domain, setting)
        reasons += ["", f"{setting.key} = {setting_text(setting)}", *reason_lines(setting)]
    ElementTree.indent(domain)
    comment = xml_comment([line.rstrip() for line in reasons])
    return f"{comment}\n{ElementTree.tostring(domain, encoding='unicode')}\n"


def _put(domain: ElementTree.Element, setting: Setting) -> None:
    *parents, last = setting.key.split(".")
    if not all(_PART.fullmatch(part) for part in (*parents, last)):
        raise UserError(named(setting), "is not a path of a domain", "element names with dots between them")
    element = domain
    for part in parents:
        element = _child(element, part)
    if last.startswith("@"):
        element.set(last[1:], setting_text(setting))
    elif setting.value is True:
        _child(element, last)
    elif setting.value is not False:
        _child(element, last).text = setting_text(setting)


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element:
    found = element.find(name)
    return found if found is not None else ElementTree.SubElement(element, name)
