"""What is known about Hadoop, HBase and ZooKeeper, each fact once."""
