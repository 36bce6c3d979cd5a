"""Mirrors `streamt.testing`."""
