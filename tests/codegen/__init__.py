"""Tests of the build step."""
