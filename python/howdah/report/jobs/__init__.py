"""Imported applications as documents."""
