"""Projects that a platform team would write, and a demonstration of their tests on a real broker."""
