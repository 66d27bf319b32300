"""``howdah hadoop``: the Hadoop that runs are made with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from typer.exceptions import Exit

from howdah.cli.arguments import AsJson
from howdah.cli.help import App
from howdah.cli.output import print_json, show_notice
from howdah.cli.output import show as show_table
from howdah.cli.progress import MovingBar
from howdah.report.document import Table
from howdah.report.terminal import grid
from howdah.session import jars as session
from howdah.units import format_bytes, format_counted

if TYPE_CHECKING:
    from howdah.installation.digests import Fetchable

EXAMPLES = """
howdah hadoop fetch  # puts Apache's released jars into the cache, verified
howdah hadoop fetch hbase  # fetches HBase, with ZooKeeper and YCSB's load generator
howdah hadoop fetch spark  # fetches Spark, from PyPI
howdah hadoop show  # shows which Hadoop, HBase, Spark and Java would be used, and what is missing
howdah hadoop pack http://mirror.example.com/howdah -o /srv/howdah  # puts it on your own mirror
HADOOP_HOME=/opt/hadoop howdah hadoop show  # shows your own installation
"""
app = App(
    help="Fetch Hadoop's released jars, or show which Hadoop would be used.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


@app.command(
    complete={"product": lambda: list(session.products()), "release": lambda: list(session.releases())}
)
def fetch(product: str = "hadoop", release: str | None = None) -> None:
    """Fetch a release's jars into the cache and verify each, or verify the cached ones.

    Hadoop and HBase are fetched with Maven, Spark from PyPI.

    Arguments:
      PRODUCT  Product to fetch: hadoop, hbase or spark.
    Options:
      --release  Release number, such as 3.4.2.
    Examples:
      howdah hadoop fetch  # fetches Hadoop's current release, or verifies the fetched one
      howdah hadoop fetch --release 3.4.2  # fetches an older one, to upgrade from
      howdah hadoop fetch hbase  # fetches HBase, with ZooKeeper and YCSB's load generator
      howdah hadoop fetch spark  # fetches Spark: 456 MB from PyPI, or from the index in PIP_INDEX_URL
    """
    console = Console(stderr=True, highlight=False)
    amount = BarColumn(complete_style="cyan", finished_style="cyan"), MofNCompleteColumn(), TextColumn("jars")
    columns = (TextColumn("{task.description:<11}"), *amount)
    with MovingBar(*columns, silent=False, console=console, total=None) as bar:

        def progress(requested: Fetchable, step: str, done: int, total: int) -> None:
            if step == "downloading" and done == 0:
                # A pipe has no bar, and whoever waits shall know for what.
                console.print(f"fetching {requested}, {format_counted(total, 'jar')} …")
            bar.move(description=step, completed=done, total=total)

        requested, fetched = session.fetch(product, release, progress)
    jars = format_counted(fetched.jars, "jar")
    state = "fetched and verified" if fetched.fresh else "already in the cache, verified"
    print(f"{requested}: {jars}, {format_bytes(fetched.size_bytes)}, {state}")
    print(f"in {fetched.folder}")


@app.command(complete={"release": lambda: list(session.releases("hadoop"))})
def show(release: str | None = None, json: AsJson = False) -> None:
    """Show which Hadoop, HBase, Spark and Java would be used; exit with code 1 if one is missing.

    HBase and Spark are optional: each counts as missing only if the one in HBASE_HOME or SPARK_HOME, or in
    the cache, is unusable.

    Options:
      --release  Fetched release to show instead of the one in HADOOP_HOME.
    Examples:
      howdah hadoop show  # shows which Hadoop, HBase, Spark and Java a run would use
      HADOOP_HOME=/opt/hadoop howdah hadoop show  # shows your own installation
      howdah hadoop show --release 3.5.0 --json  # prints it for programs, for one release
    """
    shown = session.show(release)
    if json:
        print_json(_content(shown))
    else:
        show_table(_table(shown))
        for error in shown.missing:
            show_notice("missing", str(error), error.hint, stderr=False)
    if shown.missing:
        raise Exit(1)


@app.command(complete={"product": lambda: list(session.PACKED), "release": lambda: list(session.releases())})
def pack(url: str, output: Path, product: str = "hadoop", release: str | None = None) -> None:
    """Pack a release into one file for your own mirror, from which hosts fetch it.

    Also writes releases.json, which the rendered playbooks need if you run them yourself.

    Arguments:
      URL  Address at which hosts reach the mirror's folder: http://mirror.example.com/howdah.
    Options:
      --output, -o DIR  Folder of the mirror.
      --product  Product to pack: hadoop or hbase.
      --release  Release number, such as 3.4.2.
    Examples:
      howdah hadoop pack http://mirror.example.com/howdah -o /srv/howdah  # puts Hadoop on a mirror
      howdah hadoop pack http://mirror.example.com/howdah -o /srv/howdah --product hbase  # adds HBase
      howdah deploy plan.yaml --mirror http://mirror.example.com/howdah  # then uses the mirror
    """
    made = session.pack(product, output, url, release)
    print(f"{made.name}: {output / made.path.name}, SHA-256 {made.sha256}")


def _table(shown: session.ShownHadoop) -> RenderableType:
    hadoop, rows = shown.installation, []
    if hadoop:
        rows.append(("Hadoop", hadoop.version, str(hadoop.home), f"by {shown.named_by}"))
        rows.append(("libhadoop", "there" if hadoop.native else "none", str(hadoop.native or ""), ""))
    scala = f", Scala {shown.spark.scala}" if shown.spark else ""
    for label, product, more, named_by in (
        ("HBase", shown.hbase, "", shown.hbase_named_by),
        ("Spark", shown.spark, scala, shown.spark_named_by),
    ):
        if product:
            rows.append((label, f"{product.version}{more}", str(product.home), f"by {named_by}"))
        else:
            rows.append((label, "none", "", named_by))
    if shown.java:
        rows.append(("Java", shown.java_version or "unknown", str(shown.java), ""))
    return grid(Table(("",) * 4, tuple(rows)))


def _content(shown: session.ShownHadoop) -> dict[str, object]:
    content: dict[str, Any] = dict.fromkeys(("hadoop", "hbase", "spark", "java"))
    if hadoop := shown.installation:
        native = str(hadoop.native) if hadoop.native else None
        content["hadoop"] = {"version": hadoop.version, "home": str(hadoop.home), "named_by": shown.named_by}
        content["hadoop"] |= {"class_path": hadoop.class_path, "native": native}
    if hbase := shown.hbase:
        content["hbase"] = {"version": hbase.version, "home": str(hbase.home)}
        content["hbase"] |= {"named_by": shown.hbase_named_by, "class_path": hbase.class_path}
    if spark := shown.spark:
        content["spark"] = {"version": spark.version, "scala": spark.scala, "home": str(spark.home)}
        content["spark"]["named_by"] = shown.spark_named_by
    if shown.java:
        content["java"] = {"home": str(shown.java), "version": shown.java_version}
    missing = [{"where": error.where, "what": error.what, "hint": error.hint} for error in shown.missing]
    return content | {"missing": missing}
