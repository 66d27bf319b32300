"""YCSB on a real HBase: a laboratory's, a user's own, or one that stands alone on this machine."""
