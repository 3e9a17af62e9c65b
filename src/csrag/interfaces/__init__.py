"""Doors: the command line, and `open`, the only place where stores are chosen."""
