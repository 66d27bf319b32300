#!/bin/bash
# Partitions, formats and mounts this worker's data disks: one partition each, no RAID.
#
#   disks.sh DEVICE...                shows what would be done with all of them
#   disks.sh --apply DEVICE...        does it
#   disks.sh --apply 03=DEVICE        puts a new disk in the place of the third
#
# The first device is mounted at /data/01, the second at /data/02, and so on. A device that is mounted,
# in use or holds a partition table or a file system is refused, and then nothing is touched at all.
#
# fs.type: Made in seconds, large files in few extents, many writers at once
#   [disks.file-system; D0 28, D4 127, X6]
# mkfs.options: With few allocation groups all disks fill from the fast outer zone inwards; 8 is the least mkfs.xfs
#   makes at this size
#   [disks.make-file-system; D0 28, X6, X10]
# mount.options: Otherwise each read writes an access time to the same disk, and a host with one failed disk does not
#   start
#   [disks.mount; howdah]
# partition.start: A multiple of every sector, stripe and erase block; it costs 8 MiB of a disk
#   [disks.partition; D0 29, D0 30, D1 93, D2 112, D3 123]

set -euo pipefail
export LC_ALL=C

counts=24
file_system=xfs
make_file_system=(mkfs.xfs -d agcount=8)
mount_options=noatime,nofail
partition_start=8MiB

apply=no
if [ "${1-}" = --apply ]; then
  apply=yes
  shift
fi

die() {
  printf 'disks.sh: %s\n' "$1" >&2
  exit 2
}

run() {
  printf '%q ' "$@"
  printf '\n'
  if [ "$apply" = yes ]; then "$@"; fi
}

[ "$#" -gt 0 ] || die "name the data disks: disks.sh [--apply] /dev/disk/by-id/..."
numbers=()
names=()
case $1 in
  [0-9][0-9]=*)
    for argument in "$@"; do
      [[ $argument == [0-9][0-9]=* ]] || die "$argument has no number: give each device one, or none"
      numbers+=("${argument%%=*}")
      names+=("${argument#*=}")
    done
    ;;
  *)
    [[ " $counts " == *" $# "* ]] || die "$# devices are named, but the plan gives a worker $counts data disks"
    for argument in "$@"; do
      names+=("$argument")
      numbers+=("$(printf '%02d' "${#names[@]}")")
    done
    ;;
esac
[ "$apply" = no ] || [ "$(id -u)" = 0 ] || die "--apply needs root"

devices=()
for name in "${names[@]}"; do
  case $name in
    /dev/*) ;;
    *) die "$name is not a path below /dev" ;;
  esac
  device=$(readlink -e -- "$name") || die "$name does not exist"
  [ -b "$device" ] || die "$name is not a block device"
  case $(lsblk --nodeps --noheadings --output TYPE -- "$device") in
    disk | loop) ;;
    *) die "$name is not a whole disk" ;;
  esac
  [ "$(lsblk --noheadings --output NAME -- "$device" | wc -l)" = 1 ] || die "$name has partitions or holders"
  [ -z "$(lsblk --noheadings --output MOUNTPOINT -- "$device" | tr -d '[:space:]')" ] || die "$name is mounted"
  if [ -r "$device" ]; then
    signatures=$(wipefs --no-act --parsable -- "$device") || die "$name cannot be examined"
    [ -z "$signatures" ] || die "$name holds data: $(wipefs --no-act --noheadings --output TYPE -- "$device" | tr '\n' ' ')"
  elif [ "$apply" = yes ]; then
    die "$name cannot be read"
  else
    printf '# %s cannot be read without root: what it holds is not known\n' "$name"
  fi
  for other in ${devices[@]+"${devices[@]}"}; do
    [ "$other" != "$device" ] || die "$name is named twice"
  done
  devices+=("$device")
done

lines=()
for number in "${numbers[@]}"; do
  [ "$((10#$number))" -ge 1 ] && [ "$((10#$number))" -le "${counts##* }" ] || die "there is no data disk $number"
  line="LABEL=data-$number /data/$number $file_system $mount_options 0 0"
  for other in ${lines[@]+"${lines[@]}"}; do
    [ "$other" != "$line" ] || die "the number $number is given twice"
  done
  if ! grep --quiet --line-regexp --fixed-strings "$line" /etc/fstab; then
    ! grep --quiet "^LABEL=data-$number[[:space:]]" /etc/fstab || die "/etc/fstab has another line for data-$number"
  fi
  [ ! -d "/data/$number" ] || [ -z "$(ls -A "/data/$number")" ] || die "/data/$number is not empty"
  ! mountpoint --quiet "/data/$number" || die "something is mounted at /data/$number"
  lines+=("$line")
done

for index in "${!devices[@]}"; do
  device=${devices[index]}
  number=${numbers[index]}
  case $device in
    *[0-9]) partition=${device}p1 ;;
    *) partition=${device}1 ;;
  esac
  run parted --script -- "$device" mklabel gpt mkpart "hadoop-data-$number" "$file_system" "$partition_start" 100%
  run udevadm settle
  if [ "$apply" = yes ]; then
    # Whoever makes device nodes may not be udev, or not be done yet.
    for attempt in {1..50}; do [ -b "$partition" ] && break || sleep 0.2; done
    [ -b "$partition" ] || die "$partition did not appear after $device was partitioned"
  fi
  run "${make_file_system[@]}" -L "data-$number" "$partition"
  run mkdir -p "/data/$number"
  if ! grep --quiet --line-regexp --fixed-strings "${lines[index]}" /etc/fstab; then
    printf 'echo %q >> /etc/fstab\n' "${lines[index]}"
    if [ "$apply" = yes ]; then printf '%s\n' "${lines[index]}" >> /etc/fstab; fi
  fi
  run mount "/data/$number"
done
[ "$apply" = yes ] || printf '# nothing was done: look at the steps above, then give --apply\n'
