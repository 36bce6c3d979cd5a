"""One kind of resource each: what it means, and how its provider is asked and changed."""
