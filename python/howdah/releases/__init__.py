"""Configuration properties of each release of Hadoop, HBase and Spark: kinds, defaults, former names.

The catalogues in data/ are made from the releases' own jars by scripts/catalogue.sh. The defaults and the
shortened descriptions are those of Apache Hadoop and Apache HBase (Apache License 2.0). Three kinds of files
are written by hand, because the jars do not contain their facts: data/*-unlisted.json has names that the code
composes, most of them with the user's own parts; data/*-former.json names that the code replaces by others;
data/*-gone.json names that no code reads any more.
"""
