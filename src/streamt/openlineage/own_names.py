"""The parts of naming that streamt's own datasets and jobs need, apart from the table of every system."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """What names a dataset or a job in every catalog; ordered as events and references are."""

    namespace: str
    name: str


def kafka_namespace(endpoint: str) -> str:
    """Return the namespace of a Kafka cluster by its one `host:port`, in its exact spelling."""
    return f"kafka://{endpoint}"


def job_segment(text: str) -> str:
    """Return a segment of the name of one of streamt's own jobs: everything but -._~, letters and digits escaped."""
    # quote() keeps exactly those once `safe` is empty, and writes upper-case hexadecimals.
    return quote(text, safe="")


def is_clean_text(text: str) -> bool:
    """Report whether `text` can stand in an identity: valid Unicode without control characters."""
    return not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in text)
