"""What the schemas look at in a value: which texts and numbers an event's shape must keep, derived and proved.

`streamt.openlineage.shapes` makes the shape of an event, and the validator judges one event of each shape. That is
right only if no keyword can tell two events of one shape apart. The shape keeps every name, every type, which items a
list has in any order and any number, and the texts and numbers under the names that this module finds. A keyword that
looks at anything else stops the build.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urldefrag

from codegen.objects import ANNOTATIONS, absolute
from codegen.pins import CodegenError, Schema, resolve

# Keywords that look at names, at types, or hand the same value on to other schemas.
_SAME_VALUE = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_ONE = ("not", "if", "then", "else", "items")
_HARMLESS = frozenset(
    {"$defs", "$id", "$schema", "additionalProperties", "dependentRequired", "properties", "propertyNames", "required"}
    | {"$ref", "maxProperties", "minProperties", "type", *_SAME_VALUE, *_SAME_VALUE_ONE}
)
_OF_SCALARS = frozenset({"const", "enum"})
_OF_TEXTS = frozenset({"format"})
_OF_NUMBERS = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"})

_ANY = "*"
"""Instead of a name: the value may stand under any."""


@dataclass
class Looked:
    """What the schemas look at.

    Attributes:
        texts: the names under which a text's letters count.
        numbers: the names under which a number's or a boolean's value counts.
    """

    texts: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)


def looked_at(documents: Mapping[str, Schema]) -> Looked:
    """Find the names under which the schemas look at a value, and prove that they look at nothing else.

    Args:
        documents: the schemas that events are validated by, by `$id`.

    Raises:
        CodegenError: a keyword looks at more than a shape keeps.
    """
    found = Looked()
    seen: set[tuple[int, str]] = set()
    waiting = [(uri, document, "") for uri, document in documents.items()]
    while waiting:
        base, schema, name = waiting.pop()
        if (id(schema), name) in seen:
            continue
        seen.add((id(schema), name))
        _look(base, schema, name, found)
        waiting += _below(documents, base, schema, name)
    return found


def _look(base: str, schema: Schema, name: str, found: Looked) -> None:
    where = f"{base}, at a value under {f'`{name}`' if name not in {'', _ANY} else 'any name'}"
    for keyword in sorted(schema.keys() - ANNOTATIONS - _HARMLESS):
        if keyword not in _OF_SCALARS | _OF_TEXTS | _OF_NUMBERS:
            raise CodegenError(
                f"{where}: the keyword `{keyword}` looks at more of a value than the shape of an event keeps; "
                "let `streamt.openlineage.shapes` keep it, and name it in `codegen/shapes.py`"
            )
        if name == _ANY:
            raise CodegenError(
                f"{where}: the keyword `{keyword}` looks at a value that has no name of its own; "
                "let `streamt.openlineage.shapes` keep such values, and say so in `codegen/shapes.py`"
            )
        values = schema[keyword] if keyword == "enum" else [schema[keyword]]
        if any(isinstance(value, dict | list) for value in values):
            raise CodegenError(f"{where}: `{keyword}` with an object or an array is not supported")
    if name and schema.keys() & (_OF_SCALARS | _OF_TEXTS):
        found.texts.add(name)
    if name and schema.keys() & (_OF_SCALARS | _OF_NUMBERS):
        found.numbers.add(name)


def _below(documents: Mapping[str, Schema], base: str, schema: Schema, name: str) -> Iterator[tuple[str, Schema, str]]:
    """Yield each schema that `schema` hands a value to, and the name under which that value stands."""
    if "$ref" in schema:
        url = absolute(base, schema["$ref"])
        yield urldefrag(url).url, resolve(documents, base, url)[1], name
    for keyword in _SAME_VALUE:
        yield from ((base, branch, name) for branch in schema.get(keyword, ()))
    for keyword in _SAME_VALUE_ONE:
        if isinstance(schema.get(keyword), dict):
            yield base, schema[keyword], name
    for key, value in schema.get("properties", {}).items():
        yield base, value, key
    if isinstance(schema.get("additionalProperties"), dict):
        yield base, schema["additionalProperties"], _ANY
