"""Real servers on loopback for tests: Apache Kafka, a schema registry, Flink, Kafka Connect and PostgreSQL.

`python -m tests.stack --help` runs them by hand; `tests.stack.fixtures` runs them for tests.
"""

from tests.stack.home import StackError
from tests.stack.runtime import down, reap, up
from tests.stack.services import Addresses

__all__ = ["Addresses", "StackError", "down", "reap", "up"]
