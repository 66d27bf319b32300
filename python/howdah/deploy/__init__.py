"""Hosts made a cluster: playbooks run over ssh, what hosts answer, where they fetch releases from."""
