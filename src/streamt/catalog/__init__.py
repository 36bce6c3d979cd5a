"""The catalog: OpenLineage events received, evidence kept, a graph served."""
