#!/bin/sh
# Advanced settings of every host: run it in the ESXi shell.
set -eu

# 2 MiB pages below the guest's own: fewer steps for each address
# [hypervisor.vsphere-large-pages; D0 23, D0 19]
esxcli system settings advanced set -o /Mem/AllocGuestLargePage -i 1

# Sorting keeps cores awake; idle hosts draw half the power
# [hypervisor.vsphere-power; D0 26, D3 117, D1 91, X2]
esxcli system settings advanced set -o /Power/CpuPolicy -s Balanced
