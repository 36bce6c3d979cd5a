"""One thing that is wrong, before and after its place in a file is known."""

from dataclasses import dataclass

from streamt.diagnostics.codes import Code
from streamt.diagnostics.location import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One error or warning, made where it is found and never re-worded on its way up.

    Attributes:
        code: what kind it is.
        message: what is wrong, a noun phrase or one sentence; never a secret, never a value that a variable supplied.
        location: where; None where no place can be named.
        hint: what to do next, an imperative.
    """

    code: Code
    message: str
    location: Location | None = None
    hint: str | None = None

    @property
    def is_error(self) -> bool:
        """Report whether this is an error, and not a warning."""
        return self.code.value.startswith("E")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDiagnostic:
    """A diagnostic as it is shown.

    Attributes:
        code: what kind it is.
        message: what is wrong.
        location: a JSON pointer into the project (`/models/3/sql`), or an option's or a variable's name.
        file: the file that holds the cause, relative to the project's folder, with `/`.
        line: counted from 1, in `file`.
        column: counted from 1, in `file`, in characters.
        hint: what to do next.
    """

    code: Code
    message: str
    location: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None

    @property
    def is_error(self) -> bool:
        """Report whether this is an error, and not a warning."""
        return self.code.value.startswith("E")

    def as_dict(self) -> dict[str, str | int]:
        """Return the object of the JSON envelope: `file`, `line`, `column` and `hint` only where they are known."""
        always: dict[str, str | int] = {"code": self.code.value, "message": self.message, "location": self.location}
        known = {"file": self.file, "line": self.line, "column": self.column, "hint": self.hint}
        return always | {key: value for key, value in known.items() if value is not None}

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        head = f"{place}: " if place else ""
        where = f" [{self.location}]" if self.location else ""
        hint = f"\n    hint: {self.hint}" if self.hint else ""
        return f"{head}{self.code.value}: {self.message}{where}{hint}"
