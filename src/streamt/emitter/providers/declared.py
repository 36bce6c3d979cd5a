"""Datasets that an author declares: `SYSTEM:key=value,...`, or a mapping of the same keys.

Source: E9. Colons and commas stand in hosts and tables as well, so each part is named; a value with a comma stands in
double quotes.
"""

import re
from collections.abc import Mapping

from streamt.diagnostics import did_you_mean
from streamt.emitter.datasets import DatasetRef
from streamt.openlineage.naming import SCHEMES, NamingError, as_written, identify, system_named

EXAMPLE = "postgres:host=db.example.com,database=shop,schema=public,table=orders"

_SYSTEM = re.compile(r"(?P<system>[A-Za-z][A-Za-z0-9-]{0,30}):")
_PART = re.compile(r'(?P<key>[A-Za-z_]+)=(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^,]*))(?:,|$)')


class DeclarationError(ValueError):
    """A declaration that names no dataset; its text repeats no value.

    Attributes:
        hint: what to write.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def read_declared(declared: str | Mapping[str, object]) -> DatasetRef:
    """Read one declared dataset, and make sure that it has a name.

    Args:
        declared: `SYSTEM:key=value,...`; or a mapping with `system` and the parts, or with `namespace` and `name`.

    Raises:
        DeclarationError: it cannot be read, or names no dataset.
    """
    reference = _of_text(declared) if isinstance(declared, str) else _of_mapping(declared)
    try:
        if reference.system:
            identify(reference.system, reference.known)
        else:
            as_written(reference.known["namespace"], reference.known["name"])
    except NamingError as error:
        raise DeclarationError(str(error), _parts_hint(reference)) from None
    return reference


def read_parts(text: str) -> DatasetRef:
    """Read `SYSTEM:key=value,...` without a look at whether all parts of a dataset are there.

    Raises:
        DeclarationError: it cannot be read, or the system is unknown.
    """
    return _of_text(text)


def _of_text(text: str) -> DatasetRef:
    system = _SYSTEM.match(text)
    if system is None:
        raise DeclarationError("a dataset is written as SYSTEM:key=value,...", f"write it like `{EXAMPLE}`")
    _check_system(system["system"])
    parts: dict[str, str] = {}
    at = system.end()
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise DeclarationError("a part is written as key=value", f"write it like `{EXAMPLE}`")
        if part["key"] in parts:
            raise DeclarationError(f"the part `{part['key'][:20]}` stands twice")
        quoted = part["quoted"]
        parts[part["key"]] = part["plain"] if quoted is None else quoted.replace('""', '"')
        at = part.end()
    return DatasetRef.of(system["system"].lower(), parts)


def _of_mapping(declared: Mapping[str, object]) -> DatasetRef:
    values = {str(key): str(value) for key, value in declared.items() if isinstance(value, str | int)}
    if len(values) < len(declared):
        raise DeclarationError("every part of a dataset is a text or a number")
    if values.keys() == {"namespace", "name"}:
        return DatasetRef.raw(values["namespace"], values["name"])
    system = values.pop("system", "")
    if not system:
        raise DeclarationError("a dataset needs `system`, or `namespace` and `name`")
    _check_system(system)
    return DatasetRef.of(system.lower(), values)


def _check_system(system: str) -> None:
    if system.lower() not in SCHEMES:
        raise DeclarationError("the system is unknown", did_you_mean(system, SCHEMES))


def _parts_hint(reference: DatasetRef) -> str | None:
    if not reference.system:
        return None
    return f"the parts of {reference.system} are {', '.join(system_named(reference.system).parts)}"
