"""Rules about high availability: two of each master, three who keep edits and elect, failover by itself."""
