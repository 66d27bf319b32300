"""YCSB on a real HBase: a lab's, the user's own, or a standalone one on this machine."""
