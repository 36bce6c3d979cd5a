"""SQL templates: what `source` and `ref` stand for, and the SQL that comes out of the rest.

`source("x")` and `ref("y")` come out as marker words, so that what a model really reads is found in the SQL as it is
rendered, and not in the template. A marker holds random digits that no author of a template knows.
"""

import functools
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from streamt.diagnostics import redact
from streamt.sql import Query, SqlError, position

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
        line: the one-based line of the template that it first stands on, if that is known.
    """

    kind: str
    name: str
    line: int | None = None

    def __str__(self) -> str:
        return f'{self.kind}("{self.name}")'


class Fault(Exception):  # noqa: N818 - it never leaves this package
    """What is wrong with one template or its SQL; the compiler adds the model and its place.

    Attributes:
        message: the rest of a sentence that begins with the model.
        line: a one-based line, if it is known.
        in_template: whether `line` counts in the template, or else in the rendered SQL.
        hint: what to do next.
    """

    def __init__(
        self, message: str, *, line: int | None = None, in_template: bool = True, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.in_template = in_template
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Rendered:
    """SQL with marker words.

    Attributes:
        sql: the SQL; the word `prefix + number + "x"` stands for `references[number]`.
        references: every name that `source` and `ref` were called with, wherever the word stands.
        keeps_lines: whether a line of the SQL is the same line of the template.
    """

    sql: str
    references: tuple[Reference, ...]
    keeps_lines: bool


class GluedError(SqlError):
    """A `source` or `ref` that stands directly beside other text.

    Attributes:
        number: the marker's number, if it can still be read.
    """

    def __init__(self, line: int, marker: re.Match[str] | None) -> None:
        super().__init__("glues other text to a name", line=line)
        self.number = int(marker[1]) if marker else None


def references_of(query: Query, prefix: str) -> tuple[int, ...]:
    """Return the numbers of the marker words in `query`, each once, by their first place.

    Raises:
        GluedError: a marker is a part of another word.
    """
    if prefix not in query.text.lower():
        return ()
    marker = re.compile(re.escape(prefix) + r"(\d+)x")
    numbers: dict[int, None] = {}
    for token in query.tokens:
        if token.kind not in ("word", "name") or prefix not in token.text.lower():
            continue
        whole = marker.fullmatch(token.text if token.kind == "word" else token.text[1:-1])
        if whole is None:
            raise GluedError(position(query.text, token.start)[0], marker.search(token.text))
        numbers.setdefault(int(whole[1]))
    return tuple(numbers)


class Renderer:
    """Renders the templates of one project.

    Attributes:
        prefix: how every marker word of this renderer begins; lower-case letters, digits and `_`.
    """

    def __init__(self) -> None:
        self.prefix = f"streamt_{secrets.token_hex(8)}_"

    def render(self, template: str, params: Mapping[str, Any] | None = None) -> Rendered:
        """Render `template`, with `params` for a macro.

        Raises:
            Fault: the template is wrong, uses what is not there, or would never end.
        """
        simple = self._render_simple(template) if params is None else None
        return simple or self._render_jinja(template, params)

    def _render_simple(self, template: str) -> Rendered | None:
        """Render a template of nothing but plain calls; None if there is more to it."""
        pieces, marks, end, line = [], _Marks(self.prefix), 0, 1
        for call in _CALL.finditer(template):
            kind, double, single = call.groups()
            line += template.count("\n", end, call.start())
            pieces += [template[end : call.start()], marks.word(kind, single if double is None else double, line)]
            line += call[0].count("\n")
            end = call.end()
        pieces.append(template[end:])
        texts = pieces[::2]
        if any(_JINJA.search(text) for text in texts) or any(text.endswith("{") for text in texts[:-1]):
            return None
        return Rendered("".join(pieces), marks.references, keeps_lines=True)

    def _render_jinja(self, template: str, params: Mapping[str, Any] | None) -> Rendered:
        from jinja2.exceptions import TemplateError

        marks = _Marks(self.prefix)
        names: dict[str, Any] = {"source": marks.function("source"), "ref": marks.function("ref")}
        if params is not None:
            names = {name: value for name, value in params.items() if name not in _RESERVED} | names
            names["params"] = params
        try:
            compiled = self._compiled(template)
            compiled.environment.refill()
            sql = "".join(compiled.root_render_func(compiled.new_context(names)))
        except Fault as fault:
            fault.line = fault.line or _line_of(fault.__traceback__)
            raise
        except TemplateError as error:
            raise _template_fault(error, params) from None
        except Exception as error:  # noqa: BLE001 - a template can raise whatever Python can
            raise _python_fault(error) from None
        return Rendered(sql, marks.references, keeps_lines="\n" not in template.strip())

    @functools.cached_property
    def _compiled(self) -> Callable[[str], Any]:
        from streamt.compiler.metering import MeteredEnvironment

        return functools.lru_cache(maxsize=256)(MeteredEnvironment().compiled)


class _Marks:
    """Hands out the marker words of one rendering."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._numbers: dict[tuple[str, str], int] = {}
        self._lines: list[int | None] = []

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(Reference(*key, line) for key, line in zip(self._numbers, self._lines, strict=True))

    def word(self, kind: str, name: str, line: int | None) -> str:
        number = self._numbers.setdefault((kind, name), len(self._lines))
        if number == len(self._lines):
            self._lines.append(line)
        return f"{self._prefix}{number}x"

    def function(self, kind: str) -> Callable[..., object]:
        """Make the `source` or the `ref` of a template."""
        from streamt.compiler.metering import Printed

        def refer(*names: object, _line: int | None = None, **options: object) -> Printed:
            if len(names) != 1 or options or not isinstance(names[0], str):
                raise Fault(
                    f"calls `{kind}` with something else than one name",
                    line=_line,
                    hint=f'write `{{{{ {kind}("NAME") }}}}`, with one name in quotes',
                )
            return Printed(self.word(kind, str(names[0]), _line))

        return refer


def _template_fault(error: Exception, params: Mapping[str, Any] | None) -> Fault:
    from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError

    text = redact((str(error) or type(error).__name__).rstrip("."), _supplied(params))
    if isinstance(error, TemplateSyntaxError):
        return Fault(f"is not a template that can be read: {error.message}", line=error.lineno, hint=_ALLOWED)
    line = _line_of(error.__traceback__)
    if isinstance(error, UndefinedError):
        return Fault(f"uses a name that is not defined: {text}", line=line, hint=_DEFINED)
    if isinstance(error, SecurityError):
        return Fault(f"does what a template may not do: {text}", line=line, hint=_ALLOWED)
    return Fault(f"cannot be rendered: {text}", line=line)


def _python_fault(error: Exception) -> Fault:
    from streamt.compiler.metering import TooMuchError

    line = _line_of(error.__traceback__)
    if isinstance(error, (TooMuchError, RecursionError, MemoryError, OverflowError)):
        return Fault("would run for too long or make too much text", line=line, hint="make its loops and texts shorter")
    # The text of an exception can hold a value that a variable supplied; its kind cannot.
    reason = next((text for kind, text in _REASONS.items() if isinstance(error, kind)), None)
    return Fault(f"cannot be rendered: {type(error).__name__}", line=line, hint=reason)


_SHORTER = "make its loops and texts shorter"
_ALLOWED = "a template may use `source`, `ref`, `params`, plain loops and conditions, and the common filters"
_DEFINED = "a template knows `source` and `ref`, and that of a macro also `params` and each of them by name"
_REASONS: dict[type[Exception], str] = {
    TypeError: "a value has another type than the template expects, or a call has the wrong arguments",
    ValueError: "a value is not what the template expects, or there are too many parts to unpack",
    ZeroDivisionError: "the template divides by zero",
    SyntaxError: "the template is nested too deeply",
}


def _line_of(traceback: TracebackType | None) -> int | None:
    """Find the template's innermost line in a traceback."""
    line = None
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return line


def _supplied(value: Any) -> list[str]:
    """Collect the texts in `value` that variables supplied."""
    from streamt.diagnostics import Supplied

    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _supplied(each)]
    if isinstance(value, (list, tuple)):
        return [text for each in value for text in _supplied(each)]
    return [value] if isinstance(value, Supplied) else []
