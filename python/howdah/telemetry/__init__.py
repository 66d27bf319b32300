"""Samplers of machines and daemons during a run, on the run's own clock.

Each device (cpu, disk, nic, memory, pressure, process) has the same three hooks, start, tick and
stop; a Sampler calls them at a steady interval and sends the readings to a SampleSink.
"""
