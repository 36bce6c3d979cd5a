"""Environments: which there are, which one is meant, and what one of them holds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from streamt.diagnostics import (
    MASK,
    Code,
    Diagnostic,
    FilePlace,
    Option,
    ProjectPath,
    StreamtError,
    Supplied,
    did_you_mean,
    quote,
)
from streamt.project.env_files import read_variables
from streamt.project.files import Folder
from streamt.project.language import EnvironmentFile, environment_schema
from streamt.project.messages import Raw, describe_refusals
from streamt.project.variables import substitute
from streamt.project.yaml_file import read_yaml_file

DEFAULT = "default"
_FOLDER = "environments"


@dataclass(frozen=True, slots=True)
class EnvironmentSummary:
    """One environment, as a list of them shows it.

    Attributes:
        name: what `--env` takes.
        file: where it is declared, from the project's folder; None for the one of a project without `environments/`.
        description: what it is for; `***` for what a variable supplied.
        protected: whether a change there needs more care.
    """

    name: str
    file: str | None
    description: str | None = None
    protected: bool = False


def environment_files(folder: Folder) -> dict[str, str] | None:
    """Return the file of each environment by its name; None for a project without `environments/`.

    Raises:
        StreamtError: E501 or E503, with all that is wrong with the folder.
    """
    if not (folder.root / _FOLDER).exists():
        return None
    if not (folder.root / _FOLDER).is_dir():
        raise StreamtError(_wrong(_FOLDER, "`environments` must be a folder, not a file"))
    listing = folder.yaml_files(_FOLDER)
    diagnostics = list(listing.diagnostics)
    files: dict[str, str] = {}
    for file in listing.files:
        name = FilePath(file).stem
        if file.count("/") > 1:
            diagnostics.append(_wrong(file, "a file of an environment must be in `environments/` itself"))
        elif name in files:
            message = f"environment {quote(name)} has two files, {quote(files[name])} and {quote(file)}"
            diagnostics.append(_wrong(file, message, "keep one of them"))
        else:
            files[name] = file
    if not files:
        hint = "add a file such as `environments/dev.yml`, or remove the folder"
        diagnostics.append(_wrong(_FOLDER, "`environments/` has no environment", hint))
    if diagnostics:
        raise StreamtError(*diagnostics)
    return files


def _wrong(file: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, location=FilePlace(file), hint=hint)


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
        raise _not_chosen(f"unknown environment {quote(str(wanted))}: the project has no `environments/`", hint)
    name = wanted if wanted is not None else environ.get("STREAMT_ENV") or None
    listed = "environments: " + ", ".join(map(quote, files))
    if name is None and len(files) > 1:
        hint = f"name one with `--env NAME` or STREAMT_ENV; {listed}"
        raise _not_chosen("the project has several environments, and none is named", hint)
    name = name if name is not None else next(iter(files))
    if name not in files:
        near = did_you_mean(name, files)
        raise _not_chosen(f"unknown environment {quote(name)}", f"{near} {listed}" if near else listed)
    return name, files[name]


def _not_chosen(message: str, hint: str) -> StreamtError:
    return StreamtError(Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, location=Option("env"), hint=hint))


def check_environment(
    data: Mapping[str, Any], name: str, raw: Raw
) -> tuple[EnvironmentFile | None, tuple[Diagnostic, ...]]:
    """Return what the file of environment `name` declares, and what is wrong with it.

    Args:
        data: what the file says, variables replaced.
        name: the environment's name.
        raw: gives values as they were written.
    """
    model: EnvironmentFile | None = None
    refused: tuple[Diagnostic, ...] = ()
    try:
        model = EnvironmentFile.model_validate(data)
    except ValidationError as error:
        refused = tuple(describe_refusals(error, environment_schema(), data, raw))
    refused += tuple(_weakened(model))
    info = data.get("environment")
    said = info.get("name") if isinstance(info, dict) else None
    if not isinstance(said, str) or said == name:
        return model, refused
    message = "`environment.name` differs from the name of its file"
    hint = f"write `name: {name}`, or rename the file"
    place = ProjectPath(("environment", "name"))
    wrong = Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, location=place, hint=hint)
    return model, (*refused, wrong)


def _weakened(model: EnvironmentFile | None) -> Iterator[Diagnostic]:
    """Refuse to take from a protected environment what `protected` implies."""
    if model is None or not model.environment.protected or model.safety is None:
        return
    for key in ("require_reviewed_plan", "confirm_apply"):
        if getattr(model.safety, key) is False:
            message = f"`{key}: false` in a protected environment"
            hint = "remove it: `environment.protected: true` implies reviewed plans and confirmation"
            place = ProjectPath(("safety", key))
            yield Diagnostic(code=Code.ENVIRONMENT_ERROR, message=message, location=place, hint=hint)


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
        folder.root_file()
        return (EnvironmentSummary(DEFAULT, None),)
    found: list[EnvironmentSummary] = []
    diagnostics: list[Diagnostic] = []
    for name in sorted(files):
        try:
            found.append(_summary(folder, name, files[name], environ or {}))
        except StreamtError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise StreamtError(*diagnostics)
    return tuple(found)


def _summary(folder: Folder, name: str, file: str, environ: Mapping[str, str]) -> EnvironmentSummary:
    """Return what a list shows of one environment.

    Raises:
        StreamtError: E501, E502 or E503, with everything that is wrong.
    """
    document = read_yaml_file(folder, file)
    data = {key: value for key, value in document.data.items() if key == "environment" and value is not None}
    variables, diagnostics = read_variables(folder, name, environ)
    substitution = substitute(data, variables)
    model, refused = check_environment(data, name, document.raw)
    if diagnostics or substitution.diagnostics or refused or model is None:
        raise StreamtError(*diagnostics, *document.place(without_unset(substitution.diagnostics, refused)))
    description = data.get("environment", {}).get("description")
    shown = MASK if isinstance(description, Supplied) else model.environment.description
    return EnvironmentSummary(name, file, shown, model.environment.protected)


def without_unset(unset: Sequence[Diagnostic], others: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what is wrong with variables, and of the rest what does not stand in the place of one of them."""
    places = {each.location for each in unset}
    yield from unset
    yield from (each for each in others if each.location not in places)
