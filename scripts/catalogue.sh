#!/bin/sh
# Writes the catalogues of python/howdah/releases/data, or of another folder in $DATA, anew from the releases' jars,
# which Maven fetches into build/. Usage: catalogue.sh [hadoop-3.5.0 …], all of them by default.
set -eu
cd "$(dirname "$0")/.."

for release in "${@:-all}"; do
  case $release in
    hadoop-3.5.0) pom=hadoop.xml profile= ;;
    hadoop-3.4.2 | hadoop-3.3.6) pom=hadoop.xml profile=$release ;;
    hbase-2.6.4) pom=hbase.xml profile= ;;
    hbase-2.5.13) pom=hbase.xml profile=$release ;;
    all) exec sh scripts/catalogue.sh hadoop-3.5.0 hadoop-3.4.2 hadoop-3.3.6 hbase-2.6.4 hbase-2.5.13 ;;
    *) echo "error: $release: no such release; see scripts/catalogue.sh for those there are" >&2; exit 2 ;;
  esac
  product=${release%-*} version=${release#*-}
  lib=build/$product/$version/lib
  test -d "$lib" ||
    mvn -q -f "hadoop/$pom" -Dcatalogue ${profile:+"-P$profile"} dependency:copy-dependencies -DoutputDirectory="$PWD/$lib"
  classes=build/catalogue/$release
  mkdir -p "$classes"
  javac -d "$classes" -cp "$lib/*" hadoop/catalogue/*.java
  # Written aside first, so that a failure leaves the former catalogue.
  java -cp "$classes:$lib/*" Catalogue "$lib" "$product" "$version" > "$classes.json"
  mv "$classes.json" "${DATA:-python/howdah/releases/data}/$release.json"
done
