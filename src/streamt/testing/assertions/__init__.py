"""The assertions of samples, each as an accumulator that records stream through."""

from streamt.testing.assertions.base import Accumulator, Batch, Sample

__all__ = ["Accumulator", "Batch", "Sample"]
