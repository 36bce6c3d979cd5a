"""Assertions that do what foreign bytes make foreign code do: crash, hang, take memory, print, raise."""

import os
import signal
import sys
import time
from typing import ClassVar

from streamt.testing.assertions import Accumulator, Batch, Sample
from streamt.testing.results import Status, Verdict

FINE = Verdict(status=Status.PASSED, message="fine")


class Good(Accumulator):
    """Holds."""

    def add(self, batch: Batch) -> None:
        pass

    def verdict(self, sample: Sample) -> Verdict:
        return Verdict(status=Status.PASSED, message=f"{sample.records} records", judged=sample.records)


class Crash(Good):
    """Ends the process while records are read."""

    def __init__(self, how: signal.Signals = signal.SIGSEGV) -> None:
        self._how = how

    def add(self, batch: Batch) -> None:
        os.kill(os.getpid(), self._how)


class Hang(Good):
    """Holds the interpreter, and hears no signal that Python could hear."""

    def add(self, batch: Batch) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM, signal.SIGINT})
        while True:
            pass


class Hoard(Good):
    """Takes all the memory that there is."""

    def add(self, batch: Batch) -> None:
        held = []
        while True:
            held.append(bytes(1024 * 1024 * 1024))


class Raise(Good):
    """Raises what nobody foresaw."""

    def add(self, batch: Batch) -> None:
        raise ZeroDivisionError("SECRET")


class Print(Good):
    """Prints where the messages go."""

    def add(self, batch: Batch) -> None:
        sys.stdout.write("noise\n")
        sys.stdout.flush()
        os.write(1, b"noise\n")


class Query(Good):
    """Hands what records hold to a foreign program."""

    isolated: ClassVar[bool] = True


class CrashingQuery(Query):
    """Crashes that program."""

    def verdict(self, sample: Sample) -> Verdict:
        os.kill(os.getpid(), signal.SIGSEGV)
        return FINE


class HangingQuery(Query):
    """Never comes to an end."""

    def verdict(self, sample: Sample) -> Verdict:
        time.sleep(3600)
        return FINE
