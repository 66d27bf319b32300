#!/bin/sh
# Writes python/howdah/releases/data anew from the jars of each release, which Maven fetches into build/.
set -eu
cd "$(dirname "$0")/.."

catalogue() { # product version pom [profile]
  lib=build/$1/$2/lib
  test -d "$lib" || mvn -q -f "hadoop/$3" ${4:+"-P$4"} dependency:copy-dependencies -DoutputDirectory="$PWD/$lib"
  classes=build/catalogue/$1-$2
  mkdir -p "$classes"
  javac -d "$classes" -cp "$lib/*" hadoop/catalogue/*.java
  java -cp "$classes:$lib/*" Catalogue "$lib" "$1" "$2" > "$classes.json"
  mv "$classes.json" "${DATA:-python/howdah/releases/data}/$1-$2.json"
}

catalogue hadoop 3.5.0 pom.xml
catalogue hadoop 3.4.2 pom.xml hadoop-3.4.2
catalogue hbase 2.6.4 hbase.xml
