"""From a plan and hosts to a running cluster."""
