"""Load a project: every file, variable and environment put together and checked, and every problem told at once."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path as FilePath

from pydantic import ValidationError

from streamt.cache import NO_CACHE, Cache
from streamt.diagnostics import Diagnostic, StreamtError
from streamt.files import garbage_collector
from streamt.project import check
from streamt.project.env_files import read_variables
from streamt.project.environments import check_environment, choose_environment, without_unset
from streamt.project.files import Folder
from streamt.project.language import Document, EnvironmentFile, Safety, document_schema
from streamt.project.loaded import Project
from streamt.project.merge import Merged, merge_files
from streamt.project.messages import describe_refusals
from streamt.project.sql_files import read_macros, read_sql_files
from streamt.project.supplied import mark_supplied
from streamt.project.variables import substitute


def load_project(
    directory: FilePath,
    environment: str | None = None,
    environ: Mapping[str, str] | None = None,
    cache: Cache = NO_CACHE,
) -> Project:
    """Load the project in `directory`.

    Args:
        directory: the project's folder.
        environment: the environment's name; by default `STREAMT_ENV`, or the only one there is.
        environ: the process's variables; none by default.
        cache: what was read before.

    Returns:
        The project, checked as far as that goes without its SQL.

    Raises:
        StreamtError: E501, E502, E503 or E510, with everything that is wrong.
    """
    # What is read only grows, so collecting garbage on the way would go through it again and again.
    with garbage_collector(on=False):
        return _load(Folder(directory), environment, environ or {}, cache)


def _load(folder: Folder, wanted: str | None, environ: Mapping[str, str], cache: Cache) -> Project:
    root_file = folder.root_file()
    name, environment_file = choose_environment(folder, wanted, environ)
    variables, in_env_files = read_variables(folder, name, environ)
    merged = merge_files(folder, root_file, environment_file, cache)
    data, source_map = merged.data, merged.source_map
    unset = substitute(data, variables, merged.templated).diagnostics
    sql_files = read_sql_files(folder, data)
    source_map = replace(source_map, sql_files=sql_files.by_model)
    merged.source_map = source_map
    document, refused = _document(merged, sql_files.texts)
    declared, in_environment = _environment(merged, name) if environment_file else (EnvironmentFile(), ())
    macros = read_macros(folder)
    wrong = (
        *in_env_files,
        *merged.diagnostics,
        *without_unset(unset, (*refused, *in_environment)),
        *sql_files.diagnostics,
        *macros.diagnostics,
    )
    if wrong or document is None:
        raise StreamtError(*wrong, positions=source_map)
    used = frozenset(sql_files.by_model.values())
    return Project(
        root=folder.root,
        environment=name,
        document=document,
        macros=macros.macros,
        protected=declared.environment.protected,
        safety=declared.safety or Safety(),
        warnings=(*check.warnings(data), *folder.misplaced(used)),
        source_map=source_map,
        files=(*source_map.layouts, *sorted(used), *(macro.path for macro in macros.macros.values())),
    )


def _document(merged: Merged, sql: Mapping[int, str]) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    """Return the merged project as models, and what is wrong with it."""
    data = {key: value for key, value in merged.data.items() if key not in ("environment", "safety")}
    if sql:
        data["models"] = [
            each | {"sql": sql[index]} if index in sql else each for index, each in enumerate(data["models"])
        ]
    checked = tuple(check.check_document(merged.data, merged.source_map, complete=merged.complete))
    try:
        document = Document.model_validate(data)
    except ValidationError as error:
        return None, (*describe_refusals(error, document_schema(), data, merged.source_map.raw), *checked)
    return mark_supplied(document, data, merged.templated), checked


def _environment(merged: Merged, name: str) -> tuple[EnvironmentFile, tuple[Diagnostic, ...]]:
    """Return what the environment asks of a deployment, and what is wrong with its own part of the project."""
    own = {key: merged.data[key] for key in ("environment", "safety") if key in merged.data}
    model, wrong = check_environment(own | merged.environment, name, merged.source_map.raw)
    return model or EnvironmentFile(), wrong
