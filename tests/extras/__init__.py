"""Tests with other people's programs: dbt, and the code of catalogs that reads our events (`make test-extras`)."""

from pathlib import Path

EXTRAS = Path(__file__).parents[2] / ".extras"
