"""Files that are whole or untouched, and the one reader that waits for nothing."""

from streamt.files.append import append_lines, check_append, durable_append
from streamt.files.collector import garbage_collector
from streamt.files.read import FileTooLargeError, NotAFileError, open_file, read_file
from streamt.files.replace import atomic_replace, sync_folder

__all__ = [
    "FileTooLargeError",
    "NotAFileError",
    "append_lines",
    "atomic_replace",
    "check_append",
    "durable_append",
    "garbage_collector",
    "open_file",
    "read_file",
    "sync_folder",
]
