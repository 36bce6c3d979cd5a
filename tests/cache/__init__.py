"""Tests of what is kept of earlier runs."""
