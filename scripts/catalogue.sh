#!/bin/sh
# Writes the catalogues of python/howdah/releases/data, or of another folder in $DATA, anew from the releases' jars,
# which Maven fetches into build/. Usage: catalogue.sh [hadoop-3.5.0 …], all of them by default. Spark's jars are
# those of its Python package: SPARK_JARS=FOLDER catalogue.sh spark-4.3.0.
set -eu
cd "$(dirname "$0")/.."

for release in "${@:-all}"; do
  base=
  case $release in
    hadoop-3.5.0) pom=hadoop.xml profile= ;;
    hadoop-3.4.2 | hadoop-3.3.6) pom=hadoop.xml profile=$release ;;
    hadoop-3.2.4 | hadoop-3.1.4 | hadoop-2.10.2) pom=former.xml profile=client base=hadoop-3.3.6 ;;
    hadoop-2.7.7) pom=former.xml profile= base=hadoop-3.3.6 ;;
    hbase-2.6.4) pom=hbase.xml profile= ;;
    hbase-2.5.13) pom=hbase.xml profile=$release ;;
    spark-*)
      classes=build/catalogue/$release jars=$(printf '%s:' "${SPARK_JARS:?the folder of the jars of $release}"/*.jar)
      mkdir -p "$classes"
      javac -d "$classes" -cp "$jars" hadoop/catalogue/SparkKeys.java
      java --add-opens java.base/java.lang=ALL-UNNAMED -cp "$classes:$jars" SparkKeys > "$classes.json"
      mv "$classes.json" "${DATA:-python/howdah/releases/data}/$release.json"
      continue
      ;;
    all) exec sh scripts/catalogue.sh hadoop-3.5.0 hadoop-3.4.2 hadoop-3.3.6 hadoop-3.2.4 hadoop-3.1.4 hadoop-2.10.2 \
      hadoop-2.7.7 hbase-2.6.4 hbase-2.5.13 ;;
    *) echo "error: $release: no such release; see scripts/catalogue.sh for those there are" >&2; exit 2 ;;
  esac
  product=${release%-*} version=${release#*-}
  lib=build/$product/$version/lib
  test -d "$lib" ||
    mvn -q -f "hadoop/$pom" -Dcatalogue ${profile:+"-P$profile"} ${base:+"-Dhadoop.version=$version"} \
      dependency:copy-dependencies -DoutputDirectory="$PWD/$lib"
  classes=build/catalogue/$release
  mkdir -p "$classes"
  javac -d "$classes" -cp "$lib/*" hadoop/catalogue/*.java
  # Written aside first, so that a failure leaves the former catalogue.
  java -cp "$classes:$lib/*" Catalogue "$lib" "$product" "$version" > "$classes.json"
  data=${DATA:-python/howdah/releases/data}
  if test -n "$base"; then
    # Most of a former release is in the one after it: only what differs is kept.
    python3 scripts/catalogue_difference.py "$data/$base.json" "$classes.json" > "$data/$release.json"
  else
    mv "$classes.json" "$data/$release.json"
  fi
done
