"""A report as SARIF 2.1.0, which continuous-integration systems show beside the files.

See the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import howdah
from howdah.model.existing import Check, CheckReport, CheckVerdict
from howdah.planner.rule import Rule, Severity
from howdah.planner.rules.catalogue import RULES

_LEVELS = {Severity.MUST: "error", Severity.SHOULD: "warning", Severity.MAY: "note"}
_RESULT = {
    CheckVerdict.FAIL: ("fail", "error"),
    CheckVerdict.WARN: ("fail", "warning"),
    CheckVerdict.ADVICE: ("informational", "none"),
    CheckVerdict.UNKNOWN: ("open", "none"),
    CheckVerdict.PASS: ("pass", "none"),
}


def to_sarif(report: CheckReport, folder: Path | None) -> dict[str, Any]:
    """The report as one SARIF run; files are named below ``folder``, the configuration directory."""
    used = {check.rule for check in report.checks}
    rules = [rule for rule in RULES if rule.id in used]
    index = {rule.id: position for position, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "howdah",
                "version": howdah.__version__,
                "rules": [_descriptor(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(check, index) for check in report.checks],
    }
    if folder is not None:
        run["originalUriBaseIds"] = {"CONF": {"uri": f"{folder.absolute().as_uri()}/"}}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _descriptor(rule: Rule) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.says},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"sources": list(rule.sources), "tags": [rule.subject]},
    }
    if rule.today:
        described["fullDescription"] = {"text": f"{rule.says} {rule.today}"}
    return described


def _result(check: Check, index: dict[str, int]) -> dict[str, Any]:
    kind, level = _RESULT[check.verdict]
    # The same finding on another day: lines move, so they do not go in.
    fingerprint = "\0".join((check.rule, check.about, check.where.partition(":")[0]))
    return {
        "ruleId": check.rule,
        "ruleIndex": index[check.rule],
        "kind": kind,
        "level": level,
        "message": {"text": " ".join(_sentences(check))},
        "locations": [_location(check)],
        "partialFingerprints": {"howdah/v1": hashlib.sha256(fingerprint.encode()).hexdigest()},
    }


def _sentences(check: Check) -> Iterable[str]:
    if check.verdict is CheckVerdict.UNKNOWN:
        yield f"{check.about}: cannot be checked without {check.expected}."
        return
    yield f"{check.about}: found {check.found}, expected {check.expected}."
    yield check.why if check.why.endswith(".") else f"{check.why}."
    if check.fix:
        yield f"Fix: {check.fix}."


def _location(check: Check) -> dict[str, Any]:
    file, line = check.line
    if not line and not file.endswith((".xml", ".sh", ".cfg")):
        return {"logicalLocations": [{"name": file or check.about, "kind": "resource"}]}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(file), "uriBaseId": "CONF"},
            "region": {"startLine": line or 1},
        }
    }
