"""Variables: `${NAME}` and `${NAME:-default}` in the values of a document, and where their values come from."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from streamt.diagnostics import Code, Diagnostic, ProjectPath, Supplied, quote
from streamt.project.language import is_secret
from streamt.yaml import Path

_VARIABLE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.DOTALL)
# What YAML itself refuses: everything below the space but tab and the ends of lines, and the C1 controls.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Substitution:
    """A document with its variables replaced.

    Attributes:
        data: the same dictionaries and lists, changed in place; what a variable supplied is `Supplied`.
        diagnostics: malformed variables, and missing ones but in secrets, which are asked for when they are needed.
    """

    data: Any
    diagnostics: tuple[Diagnostic, ...]


def substitute(
    data: dict[str, Any], variables: Mapping[str, str], sections: Iterable[str] | None = None
) -> Substitution:
    """Replace the variables in all text values of `data` but SQL, in place.

    Args:
        data: a document.
        variables: by name.
        sections: the keys of `data` that may hold variables; all of them by default.
    """
    replacer = _Replacer(variables)
    for section in data if sections is None else sections:
        data[section] = replacer.value(data[section], (section,))
    return Substitution(data, tuple(replacer.diagnostics))


def is_template(value: object) -> bool:
    """Report whether `value` is text that holds a variable."""
    return isinstance(value, str) and any(kind is not None for kind, _ in _pieces(value))


def _pieces(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the parts of `text`: (None, plain text), ("variable", inside of `${...}`), ("malformed", "")."""
    end = 0
    while (start := text.find("${", end)) >= 0:
        if start > end and text[start - 1] == "$":  # `$${` stands for `${`
            yield None, f"{text[end : start - 1]}${{"
            end = start + 2
            continue
        yield None, text[end:start]
        close = text.find("}", start)
        if close < 0:
            yield "malformed", ""
            return
        yield "variable", text[start + 2 : close]
        end = close + 1
    yield None, text[end:]


class _Replacer:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._variables = variables
        # An alias shares its anchor's mapping or list, which must be gone through once.
        self._seen: dict[int, Any] = {}

    def value(self, value: Any, path: Path) -> Any:
        """Return `value` with its variables replaced."""
        if isinstance(value, str):
            return self._text(value, path) if "${" in value and not _is_sql(path) else value
        if isinstance(value, (dict, list)) and id(value) not in self._seen:
            self._seen[id(value)] = value
            for key, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
                if isinstance(each, (str, dict, list)):
                    value[key] = self.value(each, (*path, key))
        return value

    def _text(self, text: str, path: Path) -> str:
        pieces = [(kind, piece) for kind, piece in _pieces(text) if kind or piece]
        found = [piece if kind is None else self._variable(piece, path) for kind, piece in pieces]
        value = "".join(each for each in found if isinstance(each, str))
        if all(kind is None for kind, _ in pieces):
            return value
        missing = next((each for each in found if isinstance(each, Diagnostic)), None)
        return Supplied(value, text, whole=len(pieces) == 1, unset=missing)

    def _variable(self, inside: str, path: Path) -> str | Diagnostic:
        """Return a variable's value, or why it has none."""
        place = ProjectPath(path)
        variable = _VARIABLE.fullmatch(inside)
        if variable is None or "${" in (variable["default"] or ""):
            hint = "write `${NAME}` or `${NAME:-default}`, or `$${` for a literal `${`"
            return self._complain(place, "malformed variable", hint)
        name, default = variable["name"], variable["default"]
        value = self._variables.get(name)
        if default is not None and not value:
            return default
        if value is None:
            hint = f"set {quote(name)}, or write `${{{name}:-default}}`"
            return self._complain(place, f"variable {quote(name)} is not set", hint, needed=not is_secret(path))
        if _SURROGATE.search(value):
            return self._complain(place, f"the value of variable {quote(name)} is not UTF-8", None)
        if _CONTROL.search(value):
            hint = "remove it from the value"
            return self._complain(place, f"control character in the value of variable {quote(name)}", hint)
        return value

    def _complain(self, place: ProjectPath, message: str, hint: str | None, *, needed: bool = True) -> Diagnostic:
        wrong = Diagnostic(code=Code.ENV_VAR_ERROR, message=message, location=place, hint=hint)
        if needed:
            self.diagnostics.append(wrong)
        return wrong


def _is_sql(path: Path) -> bool:
    """Report whether `path` is a place of SQL: a model's `sql`, or that of a test's `custom_sql`."""
    return path[-1:] == ("sql",) and (
        (path[0] == "models" and len(path) == 3) or (path[0] == "tests" and path[-2:-1] == ("custom_sql",))
    )
