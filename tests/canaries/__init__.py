"""Secrets planted everywhere, and everything that leaves searched for them."""
