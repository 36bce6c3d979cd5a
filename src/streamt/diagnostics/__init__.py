"""What is wrong, where it is wrong, and what to do next: values that are made once and shown at the border."""

from streamt.diagnostics.codes import Code
from streamt.diagnostics.collector import Collector
from streamt.diagnostics.diagnostic import Diagnostic, PlacedDiagnostic
from streamt.diagnostics.error import StreamtError
from streamt.diagnostics.location import FilePlace, Location, Option, ProjectPath, TextPosition, Variable, pointer
from streamt.diagnostics.masking import MASK, Supplied, holds_supplied, quote, redact
from streamt.diagnostics.resolve import FilePosition, Positions, resolve
from streamt.diagnostics.suggestion import did_you_mean, nearest

__all__ = [
    "MASK",
    "Code",
    "Collector",
    "Diagnostic",
    "FilePlace",
    "FilePosition",
    "Location",
    "Option",
    "PlacedDiagnostic",
    "Positions",
    "ProjectPath",
    "StreamtError",
    "Supplied",
    "TextPosition",
    "Variable",
    "did_you_mean",
    "holds_supplied",
    "nearest",
    "pointer",
    "quote",
    "redact",
    "resolve",
]
