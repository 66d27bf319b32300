"""HBase with Kerberos and a real KDC: deployed, used, and every port tried without a ticket."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from exams.deploying.course import Course, step
from exams.deploying.kerberos import HOSTS, all_shut, deployed, handed, root_of, secrets_stay_secret
from support.kdc import Kdc, certify

_ROWS = Path(__file__).with_name("Rows.java")


def examine(course: Course) -> None:
    """HBase on HDFS, two of each master: deployed, used, its HMaster handing over, every port tried."""
    with handed(course, ("hdfs", "HTTP", "zookeeper", "hbase"), tables=True) as (made, folder):
        plan, secrets = deployed(course, folder, "HDFS and HBase, two of each master,")
        _used(course)
        _suite_runs(course, plan, made, folder)
        all_shut(course)
        with step("a renewed certificate restarts only the daemons of its host, including HBase's"):
            certify(folder, "h2")
            changes = course.deploy(plan, *secrets)
            assert "restart hbase-regionserver.service" in changes["h2"], changes
            assert not changes["h1"], changes
            assert not changes["h3"], changes
        with step("unprotected pages of HBase fail the deployment, and are listed"):
            wrong = course.failed(course.save("lax", HOSTS, {"hbase.security.authentication.ui": "simple"}))
            assert all("regionserver's port 16030 shows /" in told[0] for told in wrong.values()), wrong
        with step("the previous plan restores their protection"):
            course.deploy(plan)
            course.check_well(plan)
        _used(course)
        secrets_stay_secret(course)


def _used(course: Course) -> None:
    """Whoever has a ticket and the right writes and reads rows; others are refused."""
    with step("HBase's own user writes rows and reads them"):
        login = "kinit -k -t /etc/security/keytabs/hbase.service.keytab hbase/h1@EXAMPLE.COM"
        said = _rows(course, "hbase", f"export KRB5CCNAME=FILE:/tmp/exam-hbase-ticket; {login}")
        assert "100 of 100 rows are as they were written" in said, said
    with step("HBase refuses a user with a ticket but without the right"):
        login = "kinit -k -t /etc/security/keytabs/hdfs.service.keytab hdfs/h1@EXAMPLE.COM"
        said = _rows(course, "hdfs", f"export KRB5CCNAME=FILE:/tmp/exam-ticket; {login}")
        assert "AccessDeniedException: Insufficient permissions" in said, said
    with step("HBase refuses a user without a ticket"):
        said = _rows(course, "admin", "export KRB5CCNAME=FILE:/nowhere")
        assert "rows are as they were written" not in said, said
        # HBase's client finds that it has nothing to prove itself with, and does not even call.
        assert "Found no valid authentication method" in said, said


def _rows(course: Course, user: str, before: str) -> str:
    """What a client of HBase's says that a user runs on the first host."""
    root_of(course, "h1", "tmp/Rows.java").write_text(_ROWS.read_text())
    java = "timeout 120 java -cp '/etc/hbase/conf:/etc/hadoop/conf:/opt/hbase-2.6.4/lib/*' /tmp/Rows.java"
    script = f"cd /; {before}; {java} 2>&1 || true"
    return course.hosts.run("h1", "runuser", "-u", user, "--", "sh", "-c", script)


def _suite_runs(course: Course, plan: Path, made: Kdc, folder: Path) -> None:
    """``howdah run`` proves the cluster, as whoever has a ticket."""
    if find_spec("gssapi") is None:
        print("    not held: howdah run, which needs the extra kerberos", flush=True)
        return
    course.shell(f"howdah render {plan} -o conf --force")
    for part in ("hadoop", "hbase"):
        shutil.copytree(course.folder / "conf" / part, course.folder / "client", dirs_exist_ok=True)
    known = made.folder / "krb5.conf"
    with step("YCSB by howdah run, from a client with a ticket"):
        course.shell(
            f"export KRB5_CONFIG={known} JDK_JAVA_OPTIONS=-Djava.security.krb5.conf={known}\n"
            f"export KRB5CCNAME=FILE:{course.folder}/ticket SSL_CERT_FILE={folder}/ca.pem\n"
            f"kinit -k -t {folder}/h1/hbase.service.keytab hbase/h1@EXAMPLE.COM\n"
            "howdah run ycsb --engine hbase --conf client --records 2k --operations 2k"
        )
