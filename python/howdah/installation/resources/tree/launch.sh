#!/bin/bash
# Starts one of @PRODUCT@'s programs in the foreground, as the scripts of its release do.
#
# Apache publishes those with its tarballs only. This stands in for them where the jars were fetched one
# by one: the same commands, the same configuration directory, the same variables of the same env files.
set -eu
program=${0##*/}
home=$(cd -- "$(dirname -- "$(readlink -e -- "$0")")/.." && pwd)
conf=${@CONF@:-@CONF_DEFAULT@}
command=${1-}
[ "$#" -eq 0 ] || shift

read_env() {
  # Env files may ask for variables that are not set.
  set +u
  [ ! -r "$conf/$1" ] || . "$conf/$1"
  set -u
}
@ENV@
own=
first=
options=()
case "$program $command" in
@CASES@
  *\ *.*) main=$command ;;
  *) echo "$program: ${command:-no command} is not known here; @KNOWN@, or the name of a class" >&2; exit 2 ;;
esac
[ -z "$own" ] || read -r -a options <<< "${!own-}"
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
log4j=$conf/log4j.properties
[ -r "$log4j" ] || log4j=$home/etc/log4j.properties
log4j2=$conf/log4j2.properties
[ -r "$log4j2" ] || log4j2=$home/etc/log4j2.properties
exec "$java" @OPTIONS@ \
  "-Dlog4j.configuration=file://$log4j" "-Dlog4j2.configurationFile=file://$log4j2" \
  @LOGGING@ \
  ${options[@]+"${options[@]}"} -cp "$conf:@CLASSPATH@" "$main" $first "$@"
