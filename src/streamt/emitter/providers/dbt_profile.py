"""The connection of a dbt project: out of `profiles.yml`, only what names a system."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamt.emitter.providers.dbt_adapters import PROFILE_KEYS

LARGEST = 4 << 20


class ProfileError(ValueError):
    """The profile cannot be read; the text holds no value of it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The target that a dbt run used.

    Attributes:
        target: its name.
        adapter: its type.
        values: the keys that name a system.
        files: the file of each attached database, by its alias (DuckDB, SQLite).
        folder: where relative paths begin.
    """

    target: str
    adapter: str
    values: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)


def read_profile(
    project_dir: Path, environ: Mapping[str, str], *, profiles_dir: Path | None, profile: str | None, target: str | None
) -> Profile:
    """Read the target of a project's profile, as dbt finds it.

    Args:
        project_dir: the project's folder.
        environ: the process's environment; templates may only read it.
        profiles_dir: the folder that was given; else DBT_PROFILES_DIR, the project's folder, `~/.dbt`.
        profile: the profile that was given; else DBT_PROFILE, else the project's.
        target: the target that was given; else DBT_TARGET, else the profile's.

    Raises:
        ProfileError: there is none, or it cannot be read.
    """
    project = _yaml(project_dir / "dbt_project.yml")
    name = profile or environ.get("DBT_PROFILE") or _render(project.get("profile"), environ)
    profiles = _yaml(_profiles_file(project_dir, environ, profiles_dir))
    chosen = profiles.get(name)
    if not isinstance(chosen, dict):
        raise ProfileError("profiles.yml has no such profile")
    wanted = target or environ.get("DBT_TARGET") or _render(chosen.get("target", "default"), environ)
    outputs = chosen.get("outputs")
    output = outputs.get(wanted) if isinstance(outputs, dict) else None
    if not isinstance(output, dict):
        raise ProfileError("the profile has no such target")
    return _target(wanted, output, environ, project_dir)


def project_name(project_dir: Path) -> str:
    """Return the name of the project in a folder.

    Raises:
        ProfileError: there is none.
    """
    name = _yaml(project_dir / "dbt_project.yml").get("name")
    if not isinstance(name, str):
        raise ProfileError("dbt_project.yml has no name")
    return name


def target_path(project_dir: Path, environ: Mapping[str, str], given: str | None) -> Path:
    """Return the folder of the artifacts: given, by DBT_TARGET_PATH, by the project, or `target`."""
    try:
        declared = _yaml(project_dir / "dbt_project.yml").get("target-path")
    except ProfileError:
        declared = None
    chosen = given or environ.get("DBT_TARGET_PATH") or _render(declared, environ) or "target"
    return project_dir / chosen


def _target(name: str, output: Mapping[str, Any], environ: Mapping[str, str], folder: Path) -> Profile:
    values = {
        key: _render(value, environ)
        for key, value in output.items()
        if key in PROFILE_KEYS and isinstance(value, str | int) and not isinstance(value, bool)
    }
    return Profile(name, values.get("type", ""), values, _files(output, environ), folder)


def _files(output: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the files of attached databases: DuckDB's `attach`, SQLite's `schemas_and_paths`."""
    files: dict[str, str] = {}
    for attached in output.get("attach") or ():
        path = _render(attached.get("path"), environ) if isinstance(attached, dict) else ""
        alias = _render(attached.get("alias"), environ) if isinstance(attached, dict) else ""
        if path:
            files[alias or re.split(r"[\\/]", path)[-1].partition(".")[0]] = path
    schemas = output.get("schemas_and_paths")
    if isinstance(schemas, dict):
        files |= {str(schema): _render(path, environ) for schema, path in schemas.items()}
    return files


def _profiles_file(project_dir: Path, environ: Mapping[str, str], given: Path | None) -> Path:
    if given is not None:
        return given / "profiles.yml"
    if named := environ.get("DBT_PROFILES_DIR"):
        return Path(named) / "profiles.yml"
    beside = project_dir / "profiles.yml"
    return beside if beside.exists() else Path(environ.get("HOME", "~")).expanduser() / ".dbt" / "profiles.yml"


def _yaml(path: Path) -> Mapping[str, Any]:
    import yaml

    from streamt.files import read_file

    try:
        # Anchors and merge keys are common in dbt's files, and our own strict reader refuses those.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        content = yaml.load(read_file(path, limit=LARGEST), Loader=loader)  # noqa: S506 - both loaders are safe
    except (OSError, ValueError, yaml.YAMLError):
        raise ProfileError(f"{path.name} cannot be read") from None
    if not isinstance(content, dict):
        raise ProfileError(f"{path.name} is not a mapping")
    return content


def _render(value: object, environ: Mapping[str, str]) -> str:
    """Render one value of a profile; a template may read variables and nothing else."""
    if value is None:
        return ""
    text = str(value)
    if "{" not in text:
        return text
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def env_var(name: str, default: str | None = None) -> str:
        found = environ.get(name, default)
        if found is None:
            raise ProfileError("a variable that the profile needs is not set")
        return found

    sandbox = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    sandbox.filters.update({"as_number": str, "as_text": str, "as_bool": str, "as_native": str})
    try:
        return sandbox.from_string(text).render(env_var=env_var, var=lambda *_: "", target={})
    except ProfileError:
        raise
    except (TemplateError, TypeError, ValueError, ArithmeticError, RecursionError):
        raise ProfileError("a template in the profile cannot be rendered") from None
