"""The build step: from the pinned OpenLineage schemas to `streamt.openlineage.models` and the packed resources."""
