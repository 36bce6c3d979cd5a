"""Declare streaming pipelines in YAML and SQL; tell the catalogs what they are, in OpenLineage."""

__version__ = "0.1.0"
