"""The peers. Each module is a program that sorts one file of rows and ends when the result is on disk.

``python -m benches.peers.NAME INPUT OUTPUT SCRATCH ROWS MEMORY THREADS`` writes ``part-*`` files into the
directory OUTPUT, in the order of their names, and keeps intermediate data in SCRATCH. Each has the
best settings we found for it; ``docs/benchmarks.md`` lists them.
"""
