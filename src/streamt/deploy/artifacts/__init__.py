"""What a compiled project should be on its servers: artifacts for every kind of resource, also as files."""

from streamt.deploy.artifacts.declared import deploy_project
from streamt.deploy.artifacts.files import artifact_files, pretty, sql_text, write_folder
from streamt.deploy.artifacts.flink_sql import statements

__all__ = [
    "artifact_files",
    "deploy_project",
    "pretty",
    "sql_text",
    "statements",
    "write_folder",
]
