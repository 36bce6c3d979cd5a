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
from streamt.compiler.compile import compile_project, compile_with_facts
from streamt.compiler.graph import Graph
from streamt.compiler.selection import select

__all__ = [
    "CompiledColumn",
    "CompiledProject",
    "Graph",
    "Materialization",
    "Node",
    "NodeKind",
    "Output",
    "OutputKind",
    "ProcessKind",
    "compile_project",
    "compile_time",
    "compile_with_facts",
    "select",
]
