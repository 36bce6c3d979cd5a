"""The one rule that gives a JSON name its Python attribute, and a nested object its class."""

import keyword
import re
from collections.abc import Iterable, Mapping

# What an attribute of that name would hide: a method of pydantic's BaseModel or of our own base class, or a type that
# the annotations after it need.
RESERVED = frozenset(
    {
        "bool", "construct", "copy", "dict", "float", "from_json", "from_orm", "int", "json", "parse_file", "parse_obj",
        "parse_raw", "schema", "schema_json", "str", "to_json", "tuple", "update_forward_refs", "validate",
    }
)  # fmt: skip


def attribute_names(names: Iterable[str]) -> Mapping[str, str]:
    """Return the attribute of each JSON name of one object.

    The attribute is the name in snake_case without leading underscores. One that Python or pydantic reserves gets an
    underscore after it (`schema` is `schema_`). Where two names would share an attribute, the name that already is
    its own attribute keeps it, then the first in sorted order; the others are numbered from 2 (`deleted_2`).

    Args:
        names: the JSON names, each once, in any order.

    Returns:
        The attributes by JSON name, in sorted order.
    """
    taken: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (_attribute(name) != name, name)):
        taken[_free(_attribute(name), taken)] = name
    return dict(sorted((name, attribute) for attribute, name in taken.items()))


def class_name(owner: str, name: str) -> str:
    """Name the class of an object that stands inside another: the owner's name and the property's."""
    words = _words(name)
    return owner + "".join(word[:1].upper() + word[1:] for word in words)


def _attribute(name: str) -> str:
    attribute = "_".join(word.lower() for word in _words(name)) or "field"
    if attribute[0].isdigit():
        attribute = f"field_{attribute}"
    if keyword.iskeyword(attribute) or attribute in RESERVED:
        return f"{attribute}_"
    return f"field_{attribute}" if attribute.startswith("model_") else attribute


def _words(name: str) -> list[str]:
    """Split `schemaURL`, `job_type` and `x-y` where a reader would; what is not ASCII is left out."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)


def _free(attribute: str, taken: Mapping[str, str]) -> str:
    number = 2
    candidate = attribute
    while candidate in taken:
        candidate = f"{attribute.rstrip('_')}_{number}"
        number += 1
    return candidate
