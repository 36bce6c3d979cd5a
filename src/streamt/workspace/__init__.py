"""The application without a terminal: opening a project, resolving its namespaces, observing a run."""

from streamt.workspace.workspace import Workspace, compile_workspace, open_workspace

__all__ = ["Workspace", "compile_workspace", "open_workspace"]
