"""The pinned OpenLineage schemas, packed by `python -m codegen`."""
