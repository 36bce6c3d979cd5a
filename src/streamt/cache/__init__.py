"""What files and SQL texts were read as before, by their content."""

from streamt.cache.store import NO_CACHE, Cache

__all__ = ["NO_CACHE", "Cache"]
