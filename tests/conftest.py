"""What holds for every test."""

from hypothesis import settings

pytest_plugins = ["tests.stack.fixtures"]

# A machine that is busy is no reason to fail: no law here speaks of time.
settings.register_profile("streamt", deadline=None)
settings.load_profile("streamt")
