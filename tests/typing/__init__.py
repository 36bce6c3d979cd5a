"""Tests of what mypy says of a mapper."""
