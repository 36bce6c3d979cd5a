"""What a project means: dependencies, materialization, physical names."""

from streamt.compiler.artifacts import (
    CompiledColumn,
    CompiledProject,
    Materialization,
    Node,
    NodeKind,
    Output,
    OutputKind,
    ProcessKind,
)
from streamt.compiler.clock import compile_time
from streamt.compiler.compile import Compilation, compile_models, compile_project
from streamt.compiler.graph import Graph
from streamt.compiler.lineage import Lineage, LineageNode
from streamt.compiler.model import CompiledModel
from streamt.compiler.rules import check_rules
from streamt.compiler.selection import select, tags_of

__all__ = [
    "Compilation",
    "CompiledColumn",
    "CompiledModel",
    "CompiledProject",
    "Graph",
    "Lineage",
    "LineageNode",
    "Materialization",
    "Node",
    "NodeKind",
    "Output",
    "OutputKind",
    "ProcessKind",
    "check_rules",
    "compile_models",
    "compile_project",
    "compile_time",
    "select",
    "tags_of",
]
