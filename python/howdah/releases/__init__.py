"""What a release of Hadoop or HBase knows: its configuration properties, their kinds and their former names.

The catalogues in data/ are made from the releases' own jars by scripts/catalogue.sh. The defaults and the
descriptions, which are shortened, are those of Apache Hadoop and Apache HBase (Apache License 2.0).
What the jars cannot tell is added by hand: data/*-unlisted.json has names that the code composes, most of
them with parts of a user's own, data/*-former.json names that the code itself takes for others, and
data/*-gone.json those that nothing reads any more.
"""

from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.catalogue import (
    HADOOP_VERSIONS,
    HBASE_VERSIONS,
    PLANNED_VERSIONS,
    Property,
    Release,
    default_of,
    hadoop,
    hbase,
    line_of,
)
from howdah.releases.values import whole_seconds

__all__ = [
    "DEFAULT_HADOOP",
    "DEFAULT_HBASE",
    "HADOOP_VERSIONS",
    "HBASE_VERSIONS",
    "PLANNED_VERSIONS",
    "Property",
    "Release",
    "default_of",
    "hadoop",
    "hbase",
    "line_of",
    "whole_seconds",
]
