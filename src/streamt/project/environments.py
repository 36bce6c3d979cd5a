"""Environments: which there are, which one is meant, and what one of them holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from streamt.diagnostics import MASK, Code, Diagnostic, FilePlace, Option, StreamtError, did_you_mean, redact
from streamt.project.files import YAML_SUFFIXES, Folder
from streamt.project.language import EnvironmentFile, environment_schema
from streamt.project.problems import Problem, from_pydantic, placed
from streamt.project.source_map import SourceMap
from streamt.project.variables import is_template, read_variables, substitute
from streamt.yaml import read_yaml

DEFAULT = "default"
_FOLDER = "environments"


@dataclass(frozen=True, slots=True)
class EnvironmentSummary:
    """One environment, as a list of them shows it.

    Attributes:
        name: what `--env` takes.
        file: where it is declared, from the project's folder; None for the one of a project without `environments/`.
        description: what it is for.
        protected: whether a change there needs more care.
    """

    name: str
    file: str | None
    description: str | None = None
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """An environment's file, read.

    Attributes:
        file: its path from the project's folder.
        content: its bytes.
        data: what it says, variables replaced.
        model: the same, checked; None where there are problems.
        problems: what is wrong with it.
        supplied: the values that variables supplied, each with its template.
    """

    file: str
    content: bytes
    data: Mapping[str, Any]
    model: EnvironmentFile | None
    problems: tuple[Diagnostic, ...]
    supplied: Mapping[str, str]


def environment_files(folder: Folder) -> dict[str, str] | None:
    """Give the file of each environment by its name; None for a project without `environments/`.

    What is wrong with the folder goes to the problems of `folder`.
    """
    if not (folder.root / _FOLDER).exists():
        return None
    if not (folder.root / _FOLDER).is_dir():
        folder.complain(_FOLDER, "`environments` is a file, and should be a folder", code=Code.ENVIRONMENT_ERROR)
        return {}
    files: dict[str, str] = {}
    for file in folder.yaml_files(_FOLDER):
        name = FilePath(file).stem
        if file.count("/") > 1:
            folder.complain(file, "an environment's file stands in `environments/` itself", code=Code.ENVIRONMENT_ERROR)
        elif name in files:
            message = f"the environment `{name}` has two files, `{files[name]}` and `{file}`"
            folder.complain(file, message, "keep one of them", Code.ENVIRONMENT_ERROR)
        else:
            files[name] = file
    if not files:
        hint = "add a file such as environments/dev.yml, or remove the folder"
        folder.complain(_FOLDER, "`environments/` holds no environment", hint, Code.ENVIRONMENT_ERROR)
    return files


def choose_environment(folder: Folder, wanted: str | None, environ: Mapping[str, str]) -> tuple[str, str | None]:
    """Choose the environment: `wanted`, else `STREAMT_ENV`, else the only one there is.

    Args:
        folder: the project's folder.
        wanted: what `--env` says.
        environ: the process's variables.

    Returns:
        The environment's name and its file, which is None for a project without `environments/`.

    Raises:
        StreamtError: E503, there is no such environment, or none is named and there are several.
    """
    files = environment_files(folder)
    if files is None:
        if wanted in (None, DEFAULT):
            return DEFAULT, None
        hint = "leave `--env` out, or add the folder `environments/`"
        raise _environment_error(f"there is no environment `{wanted}`: the project has no `environments/`", hint)
    if not files:
        raise StreamtError(*folder.problems)
    name = wanted if wanted is not None else environ.get("STREAMT_ENV") or None
    listed = "the environments are " + ", ".join(f"`{each}`" for each in files)
    if name is None and len(files) > 1:
        raise _environment_error(
            "the project has several environments, and none is named",
            f"name one, as `--env NAME` or in STREAMT_ENV; {listed}",
        )
    if name is None:
        name = next(iter(files))
    if name not in files:
        near = did_you_mean(name, files)
        raise _environment_error(f"there is no environment `{name}`", f"{near} {listed}" if near else listed)
    return name, files[name]


def _environment_error(message: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, location=Option("env"), hint=hint))


def load_environment(folder: Folder, name: str, file: str, variables: Mapping[str, str]) -> Loaded | None:
    """Read one environment's file; None, with a problem of `folder`, if it cannot be read at all."""
    content = folder.read(file)
    if content is None:
        return None
    reading = read_yaml(content, file)
    if reading.diagnostics or not isinstance(reading.data, dict):
        return Loaded(file, content, {}, None, reading.diagnostics or (_no_mapping(file, reading.data),), {})
    substitution = substitute(reading.data, variables)
    problems: list[Problem] = []
    model = None
    try:
        model = EnvironmentFile.model_validate(reading.data)
    except ValidationError as error:
        schema = environment_schema()
        problems = [from_pydantic(each, schema, reading.data) for each in error.errors(include_url=False)]
    unset = {problem.path for problem in substitution.problems}
    problems = [*substitution.problems, *(each for each in problems if each.path not in unset)]
    problems += _name_problems(reading.data, name)
    source_map = SourceMap(contents={file: content}, root_file=file, lists={}, moved={}, supplied={})
    return Loaded(file, content, reading.data, model, tuple(placed(problems, source_map)), substitution.supplied)


def _no_mapping(file: str, data: object) -> Diagnostic:
    what = "is empty" if data is None else "is no mapping"
    hint = "begin with `environment:` or `runtime:`"
    place = FilePlace(file, 1, 1)
    return Diagnostic(code=Code.PARSE_ERROR, message=f"`{file}` {what}", location=place, hint=hint)


def _name_problems(data: Mapping[str, Any], name: str) -> list[Problem]:
    info = data.get("environment")
    said = info.get("name") if isinstance(info, dict) else None
    if not isinstance(said, str) or said == name:
        return []
    message = "`environment.name` is not the name of its file"
    hint = f"write `name: {name}`, or rename the file"
    return [Problem(path=("environment", "name"), message=message, hint=hint, code=Code.ENVIRONMENT_ERROR)]


def list_environments(directory: FilePath, environ: Mapping[str, str] | None = None) -> tuple[EnvironmentSummary, ...]:
    """List the environments of a project, sorted by name.

    Only the `environment` part of each file is looked at, so that a list needs no secrets.

    Args:
        directory: the project's folder.
        environ: the process's variables; none by default.

    Returns:
        The environments; one called `default` for a project without `environments/`.

    Raises:
        StreamtError: E501, E502 or E503, with everything that is wrong.
    """
    folder = Folder(directory)
    files = environment_files(folder)
    if files is None:
        return (EnvironmentSummary(DEFAULT, None),)
    summaries = [_summary(folder, name, files[name], environ or {}) for name in sorted(files)]
    if folder.problems:
        raise StreamtError(*folder.problems)
    return tuple(each for each in summaries if each is not None)


def _summary(folder: Folder, name: str, file: str, environ: Mapping[str, str]) -> EnvironmentSummary | None:
    content = folder.read(file)
    reading = read_yaml(content, file) if content is not None else None
    if content is None or reading is None:
        return None
    if reading.diagnostics or not isinstance(reading.data, dict):
        folder.problems += reading.diagnostics or (_no_mapping(file, reading.data),)
        return None
    data = {key: value for key, value in reading.data.items() if key == "environment"}
    variables, problems = read_variables(folder.root, name, environ)
    found = list(substitute(data, variables).problems)
    try:
        info = EnvironmentFile.model_validate(data).environment
    except ValidationError as error:
        found += [from_pydantic(each, environment_schema(), data) for each in error.errors(include_url=False)]
        info = None
    found += _name_problems(data, name)
    source_map = SourceMap(contents={file: content}, root_file=file, lists={}, moved={}, supplied={})
    folder.problems += [*problems, *placed(found, source_map)]
    return EnvironmentSummary(name, file, info.description, info.protected) if info else None


def environment_view(directory: FilePath, name: str | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """Give what an environment's file says, as plain data, with `***` for secrets and for what a variable supplies.

    A variable is not looked up, so none needs to be set.

    Args:
        directory: the project's folder.
        name: the environment; by default the one that a command would take.
        environ: the process's variables, for `STREAMT_ENV`.

    Raises:
        StreamtError: E501 or E503, it does not exist or cannot be read.
    """
    folder = Folder(directory)
    name, file = choose_environment(folder, name, environ)
    if file is None:
        file = next(
            (f"stream_project{each}" for each in YAML_SUFFIXES if (directory / f"stream_project{each}").exists()), ""
        )
    content = folder.read(file)
    if content is None:
        raise StreamtError(*folder.problems)
    reading = read_yaml(content, file)
    if reading.diagnostics or not isinstance(reading.data, dict):
        raise StreamtError(*(reading.diagnostics or (_no_mapping(file, reading.data),)))
    shown = {key: reading.data[key] for key in ("runtime", "safety", "deployment_state") if key in reading.data}
    environment = reading.data.get("environment")
    own = environment if isinstance(environment, dict) else {}
    return {"environment": {"name": name} | _masked(own, ("environment",))} | {
        key: _masked(value, (key,)) for key, value in shown.items()
    }


# Only what is known to be harmless is shown: a mistyped key must not show the secret that it holds.
_SECTIONS = frozenset(
    [
        "environment",
        "runtime",
        "kafka",
        "schema_registry",
        "flink",
        "connect",
        "clusters",
        "conduktor",
        "gateway",
        "console",
        "safety",
        "deployment_state",
    ]
)
SHOWN_KEYS = frozenset(
    [
        "name",
        "description",
        "protected",
        "bootstrap_servers",
        "bootstrap_servers_internal",
        "security_protocol",
        "sasl_mechanism",
        "ssl_ca_location",
        "ssl_certificate_location",
        "ssl_key_location",
        "default",
        "type",
        "version",
        "environment",
        "rest_url",
        "sql_gateway_url",
        "admin_url",
        "proxy_bootstrap",
        "virtual_cluster",
        "url",
        "sasl_username",
        "username",
        "confirm_apply",
        "allow_destructive",
        "require_reviewed_plan",
        "backend",
    ]
)


def _masked(value: Any, path: tuple[str, ...]) -> Any:
    """Copy plain data, with `***` in place of what must not be seen."""
    if isinstance(value, dict):
        known = path[-1] in _SECTIONS or path[-2:-1] == ("clusters",)
        return {key: _masked(each, (*path, key)) for key, each in value.items()} if known else MASK
    if isinstance(value, list):
        return [_masked(each, path) for each in value]
    if value is not None and (path[-1] not in SHOWN_KEYS or path == ("deployment_state", "url") or is_template(value)):
        return MASK
    return redact(value) if isinstance(value, str) else value
