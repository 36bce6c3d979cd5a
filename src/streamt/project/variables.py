"""Variables: `${NAME}` and `${NAME:-default}` in the values of a document, from `.env` files and the environment."""

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from streamt.diagnostics import Code, Diagnostic, FilePlace, Supplied
from streamt.project.problems import Problem
from streamt.yaml import Path

# `$${` stands for `${`; what else begins with `${` is a variable, well written or not.
_TOKEN = re.compile(r"\$\$\{|\$\{(?P<inside>[^}]*)\}|\$\{")
_VARIABLE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>(?:(?!\$\{).)*))?", re.DOTALL)
# What YAML itself refuses: everything below the space but tab and the ends of lines, and the C1 controls.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Substitution:
    """A document with its variables replaced.

    Attributes:
        data: the same dictionaries and lists, changed in place.
        problems: missing and malformed variables.
        supplied: the values that came from variables, each with its template.
    """

    data: Any
    problems: tuple[Problem, ...]
    supplied: Mapping[str, str]


def substitute(data: Any, variables: Mapping[str, str]) -> Substitution:
    """Replace the variables in all text values of `data` but SQL, in place."""
    replacer = _Replacer(variables)
    data = replacer.value(data, ())
    return Substitution(data, tuple(replacer.problems), replacer.supplied)


def is_template(value: object) -> bool:
    """Tell whether `value` is text that holds a variable."""
    return isinstance(value, str) and any(match[0] != "$${" for match in _TOKEN.finditer(value))


class _Replacer:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self.problems: list[Problem] = []
        self.supplied: dict[str, str] = {}
        self._variables = variables
        # An alias shares its anchor's mapping or list, which must be gone through once.
        self._seen: dict[int, Any] = {}
        # Whether a variable, and not only defaults, went into the text at hand.
        self._used = False

    def value(self, value: Any, path: Path) -> Any:
        """Give `value` with its variables replaced."""
        if isinstance(value, str):
            return self._text(value, path) if "${" in value and not _is_sql(path) else value
        if isinstance(value, (dict, list)) and id(value) not in self._seen:
            self._seen[id(value)] = value
            for key, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
                if isinstance(each, (str, dict, list)):
                    value[key] = self.value(each, (*path, key))
        return value

    def _text(self, text: str, path: Path) -> str:
        pieces: list[str] = []
        end = 0
        supplied = self._used = False
        for match in _TOKEN.finditer(text):
            pieces += text[end : match.start()], "${" if match[0] == "$${" else self._variable(match, path)
            supplied = supplied or match[0] != "$${"
            end = match.end()
        value = "".join((*pieces, text[end:]))
        if not supplied:
            return value
        if self._used:
            self.supplied[value] = text
        return Supplied(value, text, whole=len(pieces) == 2 and not pieces[0] and end == len(text))

    def _variable(self, match: re.Match[str], path: Path) -> str:
        """Give a variable's value, or write down why it has none."""
        variable = _VARIABLE.fullmatch(match["inside"] or "")
        if variable is None:
            hint = "write `${NAME}` or `${NAME:-default}`, or `$${` for a literal `${`"
            self._complain(path, "a variable is malformed here", hint)
            return ""
        name, default = variable["name"], variable["default"]
        value = self._variables.get(name)
        if default is not None and not value:
            return default
        if value is None:
            self._complain(path, f"the variable `{name}` is not set", f"set `{name}`, or write `${{{name}:-default}}`")
            return ""
        if _SURROGATE.search(value):
            self._complain(path, f"the variable `{name}` holds bytes that are not UTF-8", None)
        elif _CONTROL.search(value):
            self._complain(path, f"the variable `{name}` holds a control character", "take it out of the value")
        elif value:
            self.supplied[value] = f"${{{name}}}"
            self._used = True
        return value

    def _complain(self, path: Path, message: str, hint: str | None) -> None:
        self.problems.append(Problem(path=path, message=message, hint=hint, code=Code.ENV_VAR_ERROR))


def _is_sql(path: Path) -> bool:
    """Tell the places of SQL: a model's `sql`, and that of a test's `custom_sql`."""
    return path[-1:] == ("sql",) and (
        (path[0] == "models" and len(path) == 3) or (path[0] == "tests" and path[-2:-1] == ("custom_sql",))
    )


def read_variables(
    root: FilePath, environment: str, environ: Mapping[str, str]
) -> tuple[dict[str, str], list[Diagnostic]]:
    """Collect the variables of a project: `.env`, then `.env.ENVIRONMENT`, then the process's own.

    Args:
        root: the project's folder.
        environment: the environment's name.
        environ: the process's variables.

    Returns:
        The variables by name, and what is wrong with the files.
    """
    variables: dict[str, str] = {}
    problems: list[Diagnostic] = []
    for name in (".env", f".env.{environment}"):
        path = root / name
        if not path.exists() and not path.is_symlink():
            continue
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_file_problem(name, error))
            continue
        for each in _lines(text, name):
            if isinstance(each, Diagnostic):
                problems.append(each)
            else:
                variables[each[0]] = each[1]
    return variables | dict(environ), problems


def _file_problem(name: str, error: OSError | UnicodeDecodeError) -> Diagnostic:
    reason = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error.strerror}"
    return Diagnostic(code=Code.ENV_VAR_ERROR, message=f"`{name}` {reason}", location=FilePlace(name))


def _lines(text: str, file: str) -> Iterator[tuple[str, str] | Diagnostic]:
    """Read the lines of a `.env` file: names with values, and what is malformed."""
    from dotenv.parser import parse_stream

    for binding in parse_stream(io.StringIO(text)):
        line = binding.original.line + len(binding.original.string) - len(binding.original.string.lstrip("\r\n"))
        problem = "this line is no `NAME=value`"
        if binding.error:
            hint = "write NAME=value, and close every quote"
        elif binding.key is None:
            continue
        elif binding.value is not None and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", binding.key):
            yield binding.key, binding.value
            continue
        else:
            hint = "write NAME=value, or `NAME=` for an empty one"
        yield Diagnostic(code=Code.ENV_VAR_ERROR, message=problem, location=FilePlace(file, line, 1), hint=hint)
