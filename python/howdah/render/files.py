"""The files that settings may belong to, by who reads them."""

HADOOP_XML = (
    "capacity-scheduler.xml",
    "core-site.xml",
    "hadoop-policy.xml",
    "hdfs-site.xml",
    "mapred-site.xml",
    "ssl-client.xml",
    "ssl-server.xml",
    "yarn-site.xml",
)
HADOOP_ENV = ("hadoop-env.sh", "mapred-env.sh", "yarn-env.sh")
HBASE_XML = ("hbase-site.xml",)
HBASE_ENV = ("hbase-env.sh",)
XML = (*HADOOP_XML, *HBASE_XML)
ZOOKEEPER = "zoo.cfg"
EXECUTOR = "container-executor.cfg"

SYSCTL = "sysctl.conf"
LIMITS = "limits.conf"
HUGE_PAGES = "thp"
DISKS = "disks"
JAVA = "java"
SYSTEM = (SYSCTL, LIMITS, HUGE_PAGES, DISKS, JAVA)
NETWORK = "network"

VMX = "vsphere.vmx"
ESXI = "esxi"
LIBVIRT = "kvm.xml"
FIRMWARE = "firmware"

KNOWN = frozenset(
    (*XML, *HADOOP_ENV, *HBASE_ENV, ZOOKEEPER, EXECUTOR, *SYSTEM, NETWORK, VMX, ESXI, LIBVIRT, FIRMWARE)
)
"""Every file that a setting may name."""
