"""Configuration files: XML properties with places, shell variables, secrets, and other programs' files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from howdah.errors import NoConfiguration, UnreadableFile, os_errors
from howdah.releases.values import winners

SITES = ("core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml")
HBASE_SITE = "hbase-site.xml"  # HBase reads it after Hadoop's own files; Hadoop does not read it.
CLIENT_FILES = (*SITES[:2], "hdfs-rbf-site.xml", *SITES[2:])
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


_DEEPEST = 50


class XmlElement:
    """An element and its line; ``text`` is what stands in it next to its children."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.text = ""
        self.children: list[XmlElement] = []


def read_xml(
    content: bytes,
    path: str,
    doctype: tuple[str, str],
    check: Callable[[XmlElement, bool], None] = lambda element, outermost: None,
) -> XmlElement:
    """The outermost element of a file's content.

    ``doctype`` is the problem of a document type declaration, and the hint; ``check`` is called with each
    element as it begins. Raises UnreadableFile with the path and the place if the content is not XML.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    pending = [XmlElement("", {}, 0)]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(pending) > _DEEPEST:
            where = f"{path}:{parser.CurrentLineNumber}"
            raise UnreadableFile(where, "is nested too deeply", f"nest elements at most {_DEEPEST} deep")
        element = XmlElement(tag, attributes, parser.CurrentLineNumber)
        check(element, len(pending) == 1)
        pending[-1].children.append(element)
        pending.append(element)

    def text(content: str) -> None:
        pending[-1].text += content

    def refuse(name: str, system: str | None, public: str | None, subset: bool) -> None:
        raise UnreadableFile(f"{path}:{parser.CurrentLineNumber}", *doctype, refused=True)

    parser.StartElementHandler, parser.EndElementHandler = start, lambda tag: pending.pop()
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, refuse
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
    return pending[0].children[0]


_PROPERTIES = "write the properties themselves into the file"


def read_site(content: bytes, path: str) -> Iterator[SiteProperty]:
    """Yield every property in a file's content, as ``read_site_file`` does; ``path`` is for messages."""

    def check(element: XmlElement, outermost: bool) -> None:
        if element.tag.rpartition(":")[2] == "include":
            problem = "includes another file, which howdah does not follow"
            raise UnreadableFile(f"{path}:{element.line}", problem, _PROPERTIES, refused=True)
        if outermost and element.tag != "configuration":
            raise NoConfiguration(
                f"{path}:{element.line}",
                f"is not a Hadoop configuration: it begins with <{element.tag}>",
                "its root element must be <configuration>",
            )

    problem = "has a document type declaration, which may define entities, which howdah does not follow"
    yield from _properties(read_xml(content, path, (problem, _PROPERTIES), check), path)


def site_values(content: bytes, path: str) -> dict[str, str]:
    """The value of each key in a file's content; raises UserError."""
    return {name: entry.text for name, entry in winners(read_site(content, path)).items()}


def _properties(element: XmlElement, path: str) -> Iterator[SiteProperty]:
    for child in element.children:
        yield from _properties(child, path)
    if element.tag != "property":
        return
    parts = element.attributes | {child.tag: child.text for child in element.children}
    name, written = parts.get("name", "").strip(BLANKS), parts.get("value")
    # Hadoop passes over a property without a name or without a value.
    if name and written is not None:
        value, final = written.strip(BLANKS), parts.get("final", "").strip() == "true"
        yield SiteProperty(name, value, final, path, element.line, blanks=value != written)


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
