"""The local engine on a machine that was measured: a job becomes a scenario of one machine."""
