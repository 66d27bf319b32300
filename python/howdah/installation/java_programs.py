"""Java programs: the command lines of Hadoop's, HBase's and Spark's, and howdah's own classes.

The classes are compiled against the jars that they run with.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.installation.digests import cache_folder, release_folder, release_of
from howdah.installation.installation import (
    HBaseInstallation,
    Installation,
    SparkInstallation,
    fetched_hbase,
    java_home,
    ycsb_jars,
)

RESOURCES = Path(__file__).parent / "resources"
"""Settings that make log4j log to standard error, and empty folders for the web servers of daemons.

The released jars lack webapps/hdfs, webapps/datanode, webapps/secondary and webapps/journal, and HBase's lack
hbase-webapps; a web server does not start without its folder, and serves /jmx and WebHDFS with an empty one.
"""

_PACKAGES = (
    "io", "lang", "lang.reflect", "math", "net", "text", "time", "util", "util.concurrent", "util.zip",
)  # fmt: skip
OPENS = (
    # Hadoop's own scripts open these to reflection on Java 17.
    *(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _PACKAGES),
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.util=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.x509=ALL-UNNAMED",
)

OPENS_OF_HBASE = (
    # HBase's own scripts add these: without them it copies byte by byte instead of reading in place.
    "--add-modules=jdk.unsupported",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-exports=java.base/sun.net.dns=ALL-UNNAMED",
    "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
    "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
)

BRIEF = ("-XX:TieredStopAtLevel=1",)
"""JVM options for programs that run for seconds: the optimising compiler takes half of their CPU time."""


def gc_log_option(path: str) -> str:
    """The option that makes a JVM write its collector's log to a file, each line with the time in UTC."""
    return f"-Xlog:gc*:file={path}:utctime,uptime,level,tags:filecount=0"


_RUN_JAR, _FS_SHELL = "org.apache.hadoop.util.RunJar", "org.apache.hadoop.fs.FsShell"
TOOLS: Mapping[str, str] = {
    "hdfs dfs": _FS_SHELL,
    "hdfs dfsadmin": "org.apache.hadoop.hdfs.tools.DFSAdmin",
    "hdfs haadmin": "org.apache.hadoop.hdfs.tools.DFSHAAdmin",
    "hdfs fsck": "org.apache.hadoop.hdfs.tools.DFSck",
    "hdfs balancer": "org.apache.hadoop.hdfs.server.balancer.Balancer",
    "yarn rmadmin": "org.apache.hadoop.yarn.client.cli.RMAdminCLI",
    "yarn application": "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
    "yarn app": "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
    "yarn node": "org.apache.hadoop.yarn.client.cli.NodeCLI",
    "yarn jar": _RUN_JAR,
    "mapred job": "org.apache.hadoop.mapred.JobClient",
    "hadoop version": "org.apache.hadoop.util.VersionInfo",
    "hadoop fs": _FS_SHELL,
    "hadoop jar": _RUN_JAR,
    "hbase version": "org.apache.hadoop.hbase.util.VersionInfo",
    "hbase canary": "org.apache.hadoop.hbase.tool.CanaryTool",
    "hbase pe": "org.apache.hadoop.hbase.PerformanceEvaluation",
    "hbase ltt": "org.apache.hadoop.hbase.util.LoadTestTool",
}
"""The main class of what administrators and users call, by Hadoop's own script and its first argument."""
PROGRAMS: Mapping[str, str] = {
    **{kind.name: kind.main for kind in DAEMONS.values()},
    **{call.split()[1]: main for call, main in TOOLS.items() if not call.startswith("hbase ")},
    # Benchmarks: TeraSort's programs and pi, TestDFSIO, NNBench.
    "examples": "org.apache.hadoop.examples.ExampleDriver",
    "dfsio": "org.apache.hadoop.fs.TestDFSIO",
    "nnbench": "org.apache.hadoop.hdfs.NNBench",
}
"""The main class of every daemon, tool of Hadoop and benchmark.

``application`` also takes its own name as its first argument, which ``yarn application`` passes on.
"""


def tools(script: str, words: str) -> dict[str, str]:
    """Return the main classes of these first arguments of a script, in this order."""
    return {word: TOOLS[f"{script} {word}"] for word in words.split()}


def java_command(
    installation: Installation | HBaseInstallation,
    conf: Path,
    main: str,
    *arguments: str,
    options: Sequence[str] = (),
) -> list[str]:
    """Return the argument vector of a Java program on a configuration; it needs no shell.

    ``main`` is a class, most often one of PROGRAMS; ``options`` are JVM options and override howdah's
    own. Raises UserError if there is no Java.
    """
    path = ":".join([str(conf.absolute()), *class_path(installation)])
    native = [f"-Djava.library.path={installation.native}"] if installation.native else []
    return [
        str(java_home() / "bin/java"),
        *OPENS,
        *(OPENS_OF_HBASE if isinstance(installation, HBaseInstallation) else ()),
        f"-Dlog4j.configuration={(RESOURCES / 'log4j.properties').as_uri()}",
        f"-Dlog4j2.configurationFile={(RESOURCES / 'log4j2.properties').as_uri()}",
        *native,
        *options,
        "-cp",
        path,
        main,
        *arguments,
    ]


_SPARK_PACKAGES = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar",
)  # fmt: skip
_OPENS_OF_SPARK = (
    # As org.apache.spark.launcher.JavaModuleOptions: Spark's own scripts give them to every driver.
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-modules=jdk.incubator.vector",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _SPARK_PACKAGES),
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
)
_SUBMIT = "org.apache.spark.deploy.SparkSubmit"


def spark_command(spark: SparkInstallation, conf: Path, driver_memory: str, *arguments: str) -> list[str]:
    """Return the argument vector of spark-submit on a Hadoop configuration; it needs no shell.

    ``driver_memory`` is the heap of this JVM, which is the driver's in client mode. Raises UserError if
    there is no Java.
    """
    folder = str(conf.absolute())
    return [
        "env",
        f"HADOOP_CONF_DIR={folder}",
        str(java_home() / "bin/java"),
        *_OPENS_OF_SPARK,
        f"-Xmx{driver_memory}",
        f"-Dlog4j2.configurationFile={(RESOURCES / 'log4j2.properties').as_uri()}",
        "-cp",
        f"{folder}:{spark.jars}/*",
        _SUBMIT,
        *arguments,
    ]


def class_path(installation: Installation | HBaseInstallation) -> list[str]:
    """Return the class path of an installation, with the folders of its daemons' web pages."""
    # A user's own installation has web pages, and the empty folders must not hide them.
    jars = installation.class_path
    return [str(RESOURCES), *jars] if installation.fetched else [*jars, str(RESOURCES)]


def with_ycsb(installation: HBaseInstallation) -> HBaseInstallation:
    """Return the installation with YCSB's jars and howdah's classes, compiled once for it.

    Raises UserError if YCSB was not fetched, or if Java has no compiler.
    """
    jars = installation.class_path if installation.fetched else (*installation.class_path, *_fetched_jars())
    classes = compiled("ycsb", jars, "set HBASE_HOME to an HBase 2.x")
    return installation._replace(class_path=(str(classes), *jars))


def _fetched_jars() -> tuple[str, ...]:
    """Return YCSB's jars from the fetched HBase; a user's own HBase has none."""
    release = release_of("hbase", None)
    # Raises UserError if the release is missing.
    fetched_hbase(release)
    return tuple(map(str, ycsb_jars(release_folder(release) / "lib")))


class SparkPrograms(NamedTuple):
    """A Spark, and howdah's programs for it."""

    spark: SparkInstallation
    jar: Path  # howdah's own classes.
    examples_jar: Path  # Hadoop's examples, which read and write TeraSort's rows.


def spark_programs(spark: SparkInstallation, hadoop: Installation) -> SparkPrograms:
    """Return howdah's programs on Spark in one jar, compiled once for these jars; raises as ``compiled``."""
    path = (f"{spark.jars}/*", str(hadoop.examples_jar))
    classes = compiled("spark", path, "set SPARK_HOME to a Spark 3.5 or later")
    jar = classes.with_name(f"howdah-spark-{classes.name}.jar")
    if not jar.is_file():
        with (
            tempfile.NamedTemporaryFile(dir=jar.parent, delete=False) as made,
            zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as content,
        ):
            for file in sorted(path for path in classes.rglob("*") if path.is_file()):
                content.write(file, file.relative_to(classes))
        Path(made.name).chmod(0o644)
        Path(made.name).rename(jar)
    return SparkPrograms(spark, jar, hadoop.examples_jar)


_COMPILE_S = 120


def compiled(name: str, class_path: tuple[str, ...], hint: str) -> Path:
    """Return the folder of the classes of a name; compile them against these jars if it does not exist.

    Files next to the sources, which the classes read, are copied there. Raises UserError if there is no
    compiler, or, with ``hint``, if the sources do not compile with the jars.
    """
    files = sorted(path for path in (RESOURCES / name).iterdir() if path.is_file())
    sources = [path for path in files if path.suffix == ".java"]
    digest = hashlib.sha256("\0".join(class_path).encode())
    for file in files:
        digest.update(file.read_bytes())
    folder = cache_folder() / name / digest.hexdigest()[:16]
    if folder.is_dir():
        return folder
    compiler = java_home() / "bin/javac"
    if not compiler.is_file():
        problem = "is missing: howdah compiles its own clients of Hadoop and HBase"
        hint = "install a JDK (sudo apt-get install openjdk-17-jdk-headless), or set JAVA_HOME to one"
        raise UserError(str(compiler), problem, hint)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".compiling-", dir=folder.parent))
    try:
        done = subprocess.run(
            [str(compiler), "-d", str(made), "-cp", ":".join(class_path), *map(str, sources)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMPILE_S,
            check=False,
        )
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), f"{done.returncode}")
            raise UserError(f"howdah's classes of {name}", f"cannot be compiled: {first}", hint)
        for file in files:
            if file not in sources:
                shutil.copyfile(file, made / file.name)
        if not folder.is_dir():
            # Another process that compiles them at the same time produces the same folder.
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder
