"""Where something is wrong: a path into the project, a place in a file, an option, or a variable."""

from dataclasses import dataclass, field


def pointer(*parts: str | int) -> str:
    """Join `parts` to a JSON pointer (RFC 6901); no part at all gives the whole document, `""`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A place inside a text that the project holds, such as a model's SQL.

    Attributes:
        line: counted from 1, in the text.
        column: counted from 1, in characters; None where only the line is known.
        file: the file whose text is meant, where that is a macro's or an `sql_file`'s and not the project's own.
    """

    line: int
    column: int | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class ProjectPath:
    """A path of keys and indexes into the merged project.

    Attributes:
        parts: from the root, such as `("models", 3, "sql")`.
        at_key: whether the key is meant, and not its value.
        text: where in the value's own text, if that is known.
        dotted: whether it is shown as `runtime.kafka`, as addresses are in the command line's contract.
    """

    parts: tuple[str | int, ...] = ()
    at_key: bool = False
    text: TextPosition | None = None
    dotted: bool = False

    def __truediv__(self, part: str | int) -> "ProjectPath":
        """Return the path of what stands under `part`."""
        return ProjectPath((*self.parts, part))

    def key(self) -> "ProjectPath":
        """Return the place of this path's key instead of its value."""
        return ProjectPath(self.parts, at_key=True, text=self.text, dotted=self.dotted)

    def at(self, line: int, column: int | None = None, *, file: str | None = None) -> "ProjectPath":
        """Return the place at a line of this path's text, both counted from 1."""
        return ProjectPath(self.parts, self.at_key, TextPosition(line, column, file), self.dotted)

    def is_within(self, other: "ProjectPath") -> bool:
        """Report whether this is `other` or a part of it."""
        return self.parts[: len(other.parts)] == other.parts

    def __str__(self) -> str:
        return ".".join(map(str, self.parts)) if self.dotted else pointer(*self.parts)


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file that is not (or could not be read as) a part of the project.

    Attributes:
        file: its path, relative to the project's folder where it is below it, with `/`.
        line: counted from 1, if it is known.
        column: counted from 1, in characters, if it is known.
        parts: the path of keys and indexes inside the file, as far as it was read.
    """

    file: str
    line: int | None = None
    column: int | None = None
    parts: tuple[str | int, ...] = field(default=())

    def __str__(self) -> str:
        return pointer(*self.parts)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the command line, by its name in Python's spelling: `job_namespace`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the process's environment: `OPENLINEAGE_CONFIG`.

    Attributes:
        name: the variable's name.
        place: where in the file that it names, if that is known.
    """

    name: str
    place: FilePlace | None = None

    def __str__(self) -> str:
        return self.name


Location = ProjectPath | FilePlace | Option | Variable
