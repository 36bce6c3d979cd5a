"""Talking to real systems: typed adapters whose errors hold no caller's words."""

from streamt.clusters.failure import ClusterError, Failure, FailureKind

__all__ = ["ClusterError", "Failure", "FailureKind"]
