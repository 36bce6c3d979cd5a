"""Settings as they were written: names and exact texts in a tree, each with its place; no type is guessed."""

from dataclasses import dataclass

from streamt.diagnostics import Code, Diagnostic, FilePlace, Variable


@dataclass(frozen=True, slots=True)
class Place:
    """Where a setting stands: a variable, or a line of the file that `OPENLINEAGE_CONFIG` names.

    Attributes:
        variable: the name of the environment variable.
        file: the name of the YAML file, without its folders; None for a setting that is a variable itself.
        line: one-based line in `file`.
        column: one-based column in `file`.
    """

    variable: str
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def problem(self, message: str, hint: str | None = None) -> Diagnostic:
        """Make the E506 that points here; `message` and `hint` must hold no value of a setting."""
        return Diagnostic(
            code=Code.OPENLINEAGE_INVALID,
            message=message,
            location=Variable(self.variable, FilePlace(self.file, self.line, self.column) if self.file else None),
            hint=hint,
        )


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value, exactly as it was given.

    Attributes:
        text: the value; kept out of `repr`, since it may be a secret.
        place: where it stands.
        is_text: False for a JSON number, boolean or null, which cannot stand for a string.
    """

    text: str
    place: Place
    is_text: bool = True

    def __repr__(self) -> str:
        return f"Leaf(place={self.place!r})"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, which no setting of ours takes: its place is all that matters."""

    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """A name and what it stands for.

    Attributes:
        name: as it was written.
        label: how a message calls it; None where the name itself is part of a variable's value.
        place: where the name stands.
        node: what it stands for.
    """

    name: str
    label: str | None
    place: Place
    node: "Node"


@dataclass(frozen=True, slots=True)
class Branch:
    """Names and what they stand for, in the order in which they were written."""

    place: Place
    entries: tuple[Entry, ...] = ()


Node = Leaf | Listing | Branch


def squash(name: str) -> str:
    """Give the form in which two spellings of one name are equal: `apiKey`, `api_key` and `APIKEY`."""
    return name.replace("_", "").lower()
