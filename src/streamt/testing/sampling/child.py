"""The worker process: it takes jobs from stdin, one after the other, and says on stdout what comes of them.

It ends when stdin does, or when nobody listens any more.
"""

import gc
import os
import pickle
import sys
from typing import BinaryIO

from streamt.testing.sampling import limits
from streamt.testing.sampling.job import Ended, Job, Message, Trouble, TroubleKind, encode
from streamt.testing.sampling.judge import judge_sample

LENGTH_BYTES = 8


def main() -> None:
    """Do the jobs."""
    # Records are many and hold no circles: looking for these each few hundred objects takes a tenth of the time.
    gc.set_threshold(50_000, 50, 50)
    limits.forbid_core_dumps()
    limits.limit_stack()
    limits.limit_memory(limits.MEMORY_GIB * 1024 * limits.MIB)
    # A library that prints must not write among the messages.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while (job := _next_job(sys.stdin.buffer)) is not None:
        limits.limit_processor_time(_processor_seconds(job))
        _say(out, _do(job, out))


def _next_job(source: BinaryIO) -> Job | None:
    length = source.read(LENGTH_BYTES)
    data = source.read(int.from_bytes(length)) if len(length) == LENGTH_BYTES else b""
    return pickle.loads(data) if data else None  # noqa: S301 - our own parent wrote it


def _do(job: Job, out: BinaryIO) -> Ended:
    try:
        return Ended(judge_sample(job, lambda message: _say(out, message)))
    except MemoryError:
        return Ended(Trouble(kind=TroubleKind.MEMORY))
    except Exception as error:  # noqa: BLE001 - what nobody foresaw; its text may hold values
        return Ended(Trouble(kind=TroubleKind.UNFORESEEN, name=type(error).__name__))


def _say(out: BinaryIO, message: Message) -> None:
    """Write a message; when nobody listens, there is nothing left to do."""
    try:
        out.write(encode(message))
    except BrokenPipeError:
        os._exit(0)


def _processor_seconds(job: Job) -> float:
    """Bound the processor time of a job, far above what it may take while somebody watches it."""
    topics = 1 + len(job.references)
    queries = sum(judge.isolated for judge in job.judges)
    return 60 + 4 * topics * (job.seconds + 60) + job.query_seconds * queries
