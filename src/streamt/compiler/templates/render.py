"""SQL templates: what `source` and `ref` stand for, and the SQL that comes out of the rest.

`source("x")` and `ref("y")` come out as marker words, so that what a model really reads is found in the SQL as it is
rendered, and not in the template.
"""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from streamt.compiler.templates.budget import TooMuchError
from streamt.compiler.templates.values import Function, Marker, TemplateError
from streamt.sql import position

if TYPE_CHECKING:
    from jinja2 import nodes

    from streamt.compiler.templates.evaluate import Evaluation

PREFIX = "streamt_reference_"
"""How every marker word begins: in lower case; a number and an `x` follow."""

# A template with nothing but such calls needs no Jinja. `\` stays with Jinja, which knows what it escapes.
_CALL = re.compile(r"""\{\{\s*(source|ref)\s*\(\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\)\s*\}\}""")
_JINJA = re.compile(r"\{[{%#]")
_RESERVED = frozenset({"source", "ref", "params"})


@dataclass(frozen=True, slots=True)
class Reference:
    """One name that a template gave to `source` or `ref`.

    Attributes:
        kind: `source` or `ref`.
        name: the name.
        line: the line of the template that it first stands on, counted from 1.
        column: the column that the call begins at, counted from 1, if it is known.
    """

    kind: str
    name: str
    line: int
    column: int | None = None

    def __str__(self) -> str:
        return f'{self.kind}("{self.name}")'


@dataclass(frozen=True, slots=True)
class Rendered:
    """SQL with marker words.

    Attributes:
        sql: the SQL; the word `PREFIX + number + "x"` stands for `references[number]`.
        references: every name that `source` and `ref` were called with, wherever the word stands.
        template: what it was rendered from.
        is_plain: whether the template has nothing of Jinja's but plain calls, so that each place of it is known.
    """

    sql: str
    references: tuple[Reference, ...]
    template: str
    is_plain: bool

    def place(self, line: int, column: int | None) -> tuple[int, int | None] | None:
        """Return the line and column of the template for those of the SQL; None where they are not known."""
        if not self.is_plain:
            return (line, None) if "\n" not in self.template.strip() else None
        if column is None:
            return line, None
        return position(self.template, self._origin(_offset(self.sql, line, column)))

    def as_plain(self) -> tuple[Any, ...]:
        """Return everything but the template as data for JSON."""
        references = [(each.kind, each.name, each.line, each.column) for each in self.references]
        return self.sql, references, self.is_plain

    @classmethod
    def of_plain(cls, plain: Any, template: str) -> Self:
        """Return what `as_plain` gave, for the template that it was rendered from."""
        sql, references, is_plain = plain
        return cls(sql, tuple(Reference(*each) for each in references), template, is_plain)

    def _origin(self, start: int) -> int:
        """Return the character of the template that the character `start` of the SQL comes from."""
        before = [match.span() for match in re.finditer(PREFIX + r"\d+x", self.sql) if match.start() <= start]
        if not before:
            return start
        calls = [match.span() for match in _CALL.finditer(self.template)]
        (_, marker_end), (call, call_end) = before[-1], calls[len(before) - 1]
        return call if start < marker_end else call_end + start - marker_end


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def render(template: str, params: Mapping[str, Any] | None = None) -> Rendered:
    """Render `template`, with `params` for a macro.

    Raises:
        TemplateError: the template is wrong, uses what is not there, or would never end.
    """
    plain = _render_plain(template) if params is None else None
    return plain or _render_jinja(template, params)


def _render_plain(template: str) -> Rendered | None:
    """Render a template of nothing but plain calls; None if there is more to it."""
    pieces, marks, end, line = [], _Marks(), 0, 1
    for call in _CALL.finditer(template):
        kind, double, single = call.groups()
        start = call.start()
        line += template.count("\n", end, start)
        name = single if double is None else double
        word = marks.word(kind, name, line, start - template.rfind("\n", 0, start))
        pieces += [template[end:start], word]
        line += call[0].count("\n")
        end = call.end()
    pieces.append(template[end:])
    texts = pieces[::2]
    if any(_JINJA.search(text) for text in texts) or any(text.endswith("{") for text in texts[:-1]):
        return None
    return Rendered("".join(pieces), marks.references, template, is_plain=True)


def _render_jinja(template: str, params: Mapping[str, Any] | None) -> Rendered:
    from streamt.compiler.templates.evaluate import Evaluation

    tree = parse(template)
    marks = _Marks()
    names: dict[str, Any] = {}
    if params is not None:
        names = {name: value for name, value in params.items() if name not in _RESERVED} | {"params": params}
    evaluation = Evaluation(names)
    evaluation.give({kind: Function(kind, marks.function(kind, evaluation)) for kind in ("source", "ref")})
    try:
        return Rendered(evaluation.render(tree), marks.references, template, is_plain=False)
    except TemplateError as error:
        error.line = error.line or evaluation.line
        raise
    except (TooMuchError, RecursionError, MemoryError):
        message, hint = "the template takes too long or makes too much text", "make its loops and texts shorter"
        raise TemplateError(message, line=evaluation.line, hint=hint) from None


@functools.lru_cache(maxsize=256)
def parse(template: str) -> "nodes.Template":
    """Return the tree of a template.

    Raises:
        TemplateError: Jinja cannot read it.
    """
    from jinja2 import Environment, TemplateSyntaxError

    try:
        return Environment(autoescape=False).parse(template)  # noqa: S701 - SQL, and only the parser is used
    except TemplateSyntaxError as error:
        raise TemplateError(f"invalid template: {error.message}", line=error.lineno, hint=_RAW) from None
    except (RecursionError, MemoryError):
        raise TemplateError("the template is nested too deeply") from None


_RAW = "to write `{{`, `{%` or `{#` itself, put it between `{% raw %}` and `{% endraw %}`"


class _Marks:
    """Hands out the marker words of one rendering."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Reference] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(self._found.values())

    def word(self, kind: str, name: str, line: int, column: int | None) -> str:
        key = (kind, name)
        if key not in self._found:
            self._numbers[key] = len(self._found)
            self._found[key] = Reference(kind, name, line, column)
        return f"{PREFIX}{self._numbers[key]}x"

    def function(self, kind: str, evaluation: "Evaluation") -> Callable[[list[Any], dict[str, Any]], Marker]:
        """Make the `source` or the `ref` of a template."""

        def refer(arguments: list[Any], named: dict[str, Any]) -> Marker:
            if named or len(arguments) != 1 or not isinstance(arguments[0], str):
                raise TemplateError(f"`{kind}` takes one name", hint=f'write `{{{{ {kind}("NAME") }}}}`')
            return Marker(self.word(kind, str(arguments[0]), evaluation.line, None))

        return refer
