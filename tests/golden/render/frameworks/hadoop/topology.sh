#!/bin/sh
# Prints the network location of every host that is asked for, one line each, in the order of the
# arguments. Hadoop asks with up to 100 host names or addresses at once, and throws the whole answer
# away if the number of lines is wrong or a location has the wrong depth.
#
# The table beside this script, topology.data, holds a name or an address and its location in each line.
# The NameNode asks with addresses, so those that the table does not hold are looked up as the system
# does (getent: /etc/hosts, then DNS). Hosts that nobody knows are at the default location.

default='/default-rack'

# Everything happens before awk would look at its arguments as files or assignments, and only what
# consists of the characters of an address goes to another command.
exec awk 'BEGIN {
  table = ARGV[1]; default_location = ARGV[2]
  for (i = 3; i < ARGC; i++) wanted[tolower(ARGV[i])] = ""
  while ((getline line < table) > 0) {
    split(line, field, " ")
    name = tolower(field[1])
    if (name in wanted) wanted[name] = field[2]
  }
  for (name in wanted)
    if (wanted[name] == "" && (name ~ /^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$/ || name ~ /^[0-9a-f:]*:[0-9a-f:]*$/))
      addresses = addresses " " name
  if (addresses != "") {
    lookup = "getent hosts" addresses " 2>/dev/null"
    while ((lookup | getline line) > 0) {
      count = split(tolower(line), field, " ")
      for (i = 2; i <= count; i++) address_of[field[i]] = address_of[field[i]] " " field[1]
    }
    close(table)
    while ((getline line < table) > 0) {
      split(line, field, " ")
      name = tolower(field[1])
      if (name in address_of) {
        count = split(address_of[name], address, " ")
        for (i = 1; i <= count; i++) if (wanted[address[i]] == "") wanted[address[i]] = field[2]
      }
    }
  }
  for (i = 3; i < ARGC; i++) {
    location = wanted[tolower(ARGV[i])]
    print (location == "" ? default_location : location)
  }
  exit
}' "${0%/*}/topology.data" "$default" "$@"
