"""What howdah's performance claims are measured with.

``python -m benches`` runs them and ``docs/benchmarks.md`` says how to read them. Every bench times
howdah, its peers and the raw limit of the same hardware in one run, in turns, and checks every
output. Each also runs small as a test.
"""
