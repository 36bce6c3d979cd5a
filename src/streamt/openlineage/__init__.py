"""The OpenLineage standard: models, identities, events, validation and transports."""
