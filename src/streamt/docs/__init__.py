"""Data that documents: the packed OpenLineage schemas."""
