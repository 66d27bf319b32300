"""howdah's own kernels as competitors: one process each, started and measured like a peer.

Each prints one line of JSON at its end. Its ``own_s`` is the kernel's time alone, in memory that was
touched before: what the local engine reports, and what the raw limit is compared with.
"""
