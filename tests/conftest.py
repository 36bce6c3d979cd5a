"""What holds for every test."""

import os
import signal

from hypothesis import settings

pytest_plugins = ["tests.stack.fixtures"]

# A test keeps nothing for the next one, nor for its user; those of the cache name a folder of their own.
os.environ["STREAMT_NO_CACHE"] = "1"

# Started in the background of a shell, tests would hand the ignored Ctrl-C on to each program that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy is no reason to fail: no law here speaks of time.
settings.register_profile("streamt", deadline=None)
settings.load_profile("streamt")
