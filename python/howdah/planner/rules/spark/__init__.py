"""Spark on YARN: executors sized to containers, its shuffle in NodeManagers, its history in HDFS."""
