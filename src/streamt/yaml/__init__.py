"""YAML, read strictly, with the place of everything: for the project's files and for transport settings."""

from streamt.yaml.locate import LONGEST_RAW, Layout, NodePosition, locate
from streamt.yaml.reader import MAX_DEPTH, ItemStart, Path, Reading, read_yaml
from streamt.yaml.scalars import read_boolean, read_integer, read_number, resolve_plain

__all__ = [
    "LONGEST_RAW",
    "MAX_DEPTH",
    "ItemStart",
    "Layout",
    "NodePosition",
    "Path",
    "Reading",
    "locate",
    "read_boolean",
    "read_integer",
    "read_number",
    "read_yaml",
    "resolve_plain",
]
