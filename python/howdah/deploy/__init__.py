"""Deployment of a plan: playbooks over ssh, hosts' results and problems, secrets, the mirror of releases."""
