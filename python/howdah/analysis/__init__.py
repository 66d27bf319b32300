"""What a run record means: from its numbers to findings, the same for every engine."""
