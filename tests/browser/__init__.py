"""Tests that share a browser, which ends with the last of them."""
