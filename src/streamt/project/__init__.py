"""What a user declares: YAML, variables, environments and the language's models."""

from streamt.project.environment_view import environment_view
from streamt.project.environments import EnvironmentSummary, list_environments
from streamt.project.load import load_project
from streamt.project.loaded import Macro, Project

__all__ = ["EnvironmentSummary", "Macro", "Project", "environment_view", "list_environments", "load_project"]
