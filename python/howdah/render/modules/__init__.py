"""What runs on the hosts: modules of Ansible, each sent as one file that imports nothing but Python's own.

Here they are in parts, which ``howdah.render.cluster`` puts together; howdah_host, howdah_look, howdah_daemon
and howdah_hdfs are the programs. A host needs Python 3.8, as for any module of the Ansible that sends them.
"""
