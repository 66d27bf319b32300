"""Frozen data: the words of howdah. No I/O happens here."""
