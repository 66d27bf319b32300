"""Configuration files: XML properties with places, shell variables, secrets, and other programs' files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.parsers import expat

from howdah.errors import NoConfiguration, UnreadableFile, os_errors

CLIENT_FILES = ("core-site.xml", "hdfs-site.xml", "hdfs-rbf-site.xml", "mapred-site.xml", "yarn-site.xml")
"""The files of a client in the order of Configuration's resources in 3.5.0: later ones win."""
HADOOP_FILES = (
    *CLIENT_FILES, "capacity-scheduler.xml", "hadoop-policy.xml", "resource-types.xml", "node-resources.xml",
    "ssl-server.xml", "ssl-client.xml",
)  # fmt: skip
"""The files of Hadoop's daemons and clients, in the same order."""
HADOOP_SCRIPTS = (
    "hadoop-env.sh", "hdfs-env.sh", "yarn-env.sh", "mapred-env.sh", "kms-env.sh", "httpfs-env.sh",
)  # fmt: skip
"""The files of variables that Hadoop's own scripts read."""
BLANKS = "".join(map(chr, range(0x21)))
"""What Java's ``String.trim`` removes: a blank that does not break, U+00A0, stays part of a value."""
_PARTS = ("name", "value", "final")


class SiteProperty(NamedTuple):
    name: str
    text: str
    final: bool  # Whether later files may not change it.
    path: str
    line: int
    blanks: bool = False  # Whether the value has blanks around it, which some readers keep.

    @property
    def where(self) -> str:
        """``core-site.xml:12``, the file by its path and the line."""
        return f"{self.path}:{self.line}"


def read_site_file(path: Path) -> Iterator[SiteProperty]:
    """Yield every property of a file in order; raises UserError that names the file and the line."""
    with os_errors(path, "cannot be read: {}", "check who may read it"):
        content = path.read_bytes()
    yield from read_site(content, str(path))


_XML_FAULTS = {
    expat.errors.XML_ERROR_NO_ELEMENTS: "the file ends within an element",
    expat.errors.XML_ERROR_INVALID_TOKEN: "an invalid character",
}


def parse_xml(parser: expat.XMLParserType, content: bytes, path: str) -> None:
    """Parse a file's content; raises UnreadableFile with its path and the place if it is not XML."""
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        message = expat.errors.messages[error.code]
        raise UnreadableFile(
            f"{path}:{error.lineno}:{error.offset + 1}",
            f"is not well-formed XML: {_XML_FAULTS.get(message, message)}",
            "close every element, write & as &amp; and < as &lt;",
        ) from error
    except (ValueError, LookupError) as error:
        # Expat uses Python's encodings in addition to its own.
        raise UnreadableFile(path, f"cannot be decoded: {error}", "save the file as UTF-8") from error


def read_site(content: bytes, path: str) -> Iterator[SiteProperty]:
    """Yield every property in a file's content, as ``read_site_file`` does; ``path`` is for messages."""
    reading = _Reading(path)
    parse_xml(reading.parser, content, path)
    yield from reading.properties


class _Reading:
    """The state of one parse: where it is, and the property that is open."""

    def __init__(self, path: str) -> None:
        self.properties: list[SiteProperty] = []
        self._path = path
        self._open: list[str] = []
        self._parts: dict[str, str] = {}
        self._line = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _refuse(self, problem: str) -> NoReturn:
        raise UnreadableFile(
            f"{self._path}:{self.parser.CurrentLineNumber}",
            f"{problem}, which howdah does not follow",
            "write the properties themselves into the file",
            refused=True,
        )

    def _doctype(self, name: str, system: str | None, public: str | None, subset: bool) -> None:
        self._refuse("has a document type declaration, which may define entities")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        if element.rpartition(":")[2] == "include":
            self._refuse("includes another file")
        if not self._open and element != "configuration":
            raise NoConfiguration(
                f"{self._path}:{self.parser.CurrentLineNumber}",
                f"is not a Hadoop configuration: it begins with <{element}>",
                "its root element must be <configuration>",
            )
        self._open.append(element)
        if element == "property":
            self._line = self.parser.CurrentLineNumber
            self._parts = {part: attributes[part] for part in _PARTS if part in attributes}
        elif element in _PARTS and self._open[-2:-1] == ["property"]:
            self._parts[element] = ""

    def _text(self, text: str) -> None:
        if self._open[-2:-1] == ["property"] and self._open[-1] in _PARTS:
            self._parts[self._open[-1]] += text

    def _end(self, element: str) -> None:
        self._open.pop()
        name = self._parts.get("name", "").strip(BLANKS)
        # Hadoop passes over a property without a name or without a value.
        if element == "property" and name and "value" in self._parts:
            final = self._parts.get("final", "").strip() == "true"
            written = self._parts["value"]
            value = written.strip(BLANKS)
            self.properties.append(
                SiteProperty(name, value, final, self._path, self._line, blanks=value != written)
            )


_ASSIGNMENT = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<append>\+?)=(?P<rest>.*)", re.DOTALL
)
_SEGMENT = re.compile(
    r"""
      '(?P<literal>[^']*)'
    | "(?P<quoted>(?:\\.|[^"\\])*)"
    | \\(?P<escaped>.)
    | (?P<bare>[^\s'"\\;&|\#]+|(?<=\S)\#)
    """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r'\\([\\"$`\n])')
_REFERENCE = re.compile(r"\$(?:(?P<plain>[A-Za-z_][A-Za-z0-9_]*)|\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\})")
_MOST_TEXT = 100_000
"""Variables that double one another would fill the memory; a line this long is no option list."""


class Assignment(NamedTuple):
    """A variable as a line sets it, earlier variables of the file expanded."""

    name: str
    value: str
    line: int


def read_assignments(text: str) -> Iterator[Assignment]:
    """Every assignment of a file in order."""
    values: dict[str, str] = {}
    for line, statement in _statements(text):
        match = _ASSIGNMENT.fullmatch(statement)
        if match is None:
            continue
        name = match["name"]
        value = _value(match["rest"], values)
        values[name] = ((values.get(name, "") if match["append"] else "") + value)[:_MOST_TEXT]
        yield Assignment(name, values[name].strip(), line)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Lines joined with their continuations: after a backslash, or inside an open quotation mark."""
    pending, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not pending:
            if line.lstrip().startswith("#"):
                continue
            first = number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
        elif _is_open(pending):
            pending += "\n"
        else:
            yield first, pending
            pending = ""
    if pending:
        yield first, pending


def _is_open(statement: str) -> bool:
    match = _ASSIGNMENT.fullmatch(statement)
    if match is None:
        return False
    text = match["rest"]
    end = max((segment.end() for segment in _segments(text)), default=0)
    return text[end : end + 1] in ("'", '"')


def _segments(text: str) -> Iterator[re.Match[str]]:
    """The segments of a value, which ends at the first character that belongs to none."""
    position = 0
    while segment := _SEGMENT.match(text, position):
        position = segment.end()
        yield segment


def _value(text: str, values: dict[str, str]) -> str:
    parts: list[str] = []
    for segment in _segments(text):
        if segment["quoted"] is not None:
            parts.append(_expanded(_ESCAPE.sub(r"\1", segment["quoted"]), values))
        elif segment["bare"] is not None:
            parts.append(_expanded(segment["bare"], values))
        else:
            parts.append(segment["literal"] or segment["escaped"] or "")
    return "".join(parts)


def _expanded(text: str, values: dict[str, str]) -> str:
    text = _REFERENCE.sub(lambda match: values.get(match["plain"] or match["braced"], match[0]), text)
    return text[:_MOST_TEXT]


HIDDEN = "(hidden)"  # Replaces a secret after reading.

_SECRET_NAME = re.compile(
    r"password$|passphrase$|\.pass$|secret$|secret[.-]?key$|access[.-]token$|\.sas\.", re.IGNORECASE
)
_SECRET_OPTION = re.compile(r"((?:password|passphrase|secret)[\w.-]*=)\S+", re.IGNORECASE)
_SECRET_IN_TEXT = re.compile(
    r"((?:password|passwd|secret|token|credential|private[._-]?key)[\w.-]*)(\s*[=:]\s*)[^\s,;]+",
    re.IGNORECASE,
)


def shown_value(name: str, text: str) -> str:
    """Return the text of a property or variable with hidden secrets; an empty one stays empty."""
    if text and not text.startswith("${") and _SECRET_NAME.search(name.replace("_", ".")):
        return HIDDEN
    return _SECRET_OPTION.sub(rf"\1{HIDDEN}", text)


def without_secrets(text: str) -> str:
    """Return a program's output with passwords and tokens hidden."""
    return _SECRET_IN_TEXT.sub(rf"\1\2{HIDDEN}", text)


_HEAD_BYTES = 65_536
_PROBE = (
    "run `howdah probe --output HOST.yaml` on one host of each kind, then "
    "`howdah inventory add HOST.yaml -o hosts.yaml`"
)
_IMPORT = "`howdah inventory import --conf DIR -o hosts.yaml` reads hosts and disks from a running cluster"
_JOBS = (
    "`howdah inventory import --conf DIR --workload-output work.yaml` reads finished jobs from the history "
    "server"
)
_CONF = "give the directory of the client's configuration to `howdah check --conf DIR`"


class ForeignFile(NamedTuple):
    """What a file is, with its article, and what to do in place of giving it."""

    what: str
    hint: str


_DOWNLOAD = f"download the client configuration of each service, and {_CONF}"
_FORMS: tuple[tuple[str, str, str], ...] = (
    (r"\s*-+ TestDFSIO -+ :", "the results of TestDFSIO",
     "`howdah run dfsio --engine hadoop` runs TestDFSIO on a cluster and keeps its results as a run"),
    (r"\[(OVERALL|READ|INSERT|UPDATE|SCAN|TOTAL_GCS)[\w-]*\], [\w()/%.-]+, [\d.]+", "the output of YCSB",
     "`howdah run ycsb --engine hbase` runs YCSB on a cluster and keeps its results as a run"),
    (r"\s*\{\s*\"ansible_facts\"|[\w.-]+ \| SUCCESS => \{", "what Ansible's setup module gathered",
     f"{_PROBE}: it also measures disks"),
    (r"\s*\{\s*\"lscpu\"\s*:|Architecture:\s+\S+", "the output of lscpu",
     f"{_PROBE}: it also reads memory and disks"),
    (r"\s*\{\s*\"blockdevices\"\s*:|NAME\s+MAJ:MIN", "the output of lsblk",
     f"{_PROBE}: it also reads processors and memory"),
    (r"(?s)\s*\{.*\"(numCores|totalPhysMemBytes|hostUrl)\"", "Cloudera Manager's list of hosts",
     f"{_IMPORT}, or {_PROBE}"),
    (r"(?s)\s*\{.*\"(roleConfigGroups|managerSettings|cmVersion|clusterTemplate|cdhVersion)\"",
     "a deployment of Cloudera Manager's", _DOWNLOAD),
    (r"(?s)\s*\{.*\"(Blueprints|host_groups|stack_name)\"", "a blueprint of Ambari's", _DOWNLOAD),
    (r"(Configured Capacity|Safe mode is ON|Live datanodes)\b", "the report of `hdfs dfsadmin -report`",
     _IMPORT),
    (r"(?m)^(CORE|HDFS|YARN|MAPRED|HIVE_SITE|HBASE|KMS)[-_](CONF|SITE)[\w.-]*=",
     "variables of a container image that makes Hadoop's configuration of them",
     f"copy the files that it makes, /etc/hadoop/*.xml, out of a container, and {_CONF}"),
    (r"Avro-(Json|Binary)\b", "the history of a MapReduce job", _JOBS),
    (r"(?s)\s*\{\"Event\":\"SparkListener", "Spark's log of an application", _JOBS),
    (r"(?m)^\[[\w:. -]+\]\s*$", "an inventory of Ansible's",
     f"{_PROBE}; `howdah inventory schema` lists what an inventory of howdah's has"),
    (r"(?m)^(\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F:]*::[0-9a-fA-F:]*)[ \t]+[A-Za-z][\w.-]*",
     "a list of addresses such as /etc/hosts", f"{_PROBE}, with `hosts:` naming the others"),
    (r"(?s)\s*(<\?xml.*?\?>\s*(<\?xml-stylesheet.*?\?>|<!--.*?-->|\s)*)?<configuration\b",
     "a configuration file of Hadoop's", _CONF),
)  # fmt: skip
"""How such a file begins, what it is, and what to do with it."""


def foreign_file(text: str) -> ForeignFile | None:
    """What a text is, by its beginning, if it is a file of other programs that administrators have."""
    head = text[:_HEAD_BYTES].lstrip("\ufeff \t\r\n")
    for form, what_it_is, hint in _FORMS:
        if (re.search if form.startswith("(?m)") else re.match)(form, head):
            return ForeignFile(what_it_is, hint)
    return None


def foreign_path(path: Path) -> ForeignFile | None:
    """The same of a file; None for a directory and for what cannot be read."""
    try:
        with path.open("rb") as file:
            return foreign_file(file.read(_HEAD_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None
