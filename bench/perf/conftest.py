"""Benches of the RTL below run in a simulator, started by the files here."""

collect_ignore = ["tb"]
