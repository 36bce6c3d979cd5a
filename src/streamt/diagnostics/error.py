"""The exception that carries what is wrong."""

from streamt.diagnostics.diagnostic import Diagnostic, PlacedDiagnostic
from streamt.diagnostics.resolve import Positions, resolve


class StreamtError(Exception):
    """Carries everything that one step found wrong, never only the first.

    Attributes:
        diagnostics: what is wrong.
        positions: where the project's parts stand in its files, if a project was read.
    """

    def __init__(self, *diagnostics: Diagnostic, positions: Positions | None = None) -> None:
        super().__init__(*diagnostics)
        self.diagnostics = diagnostics
        self.positions = positions

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ends with this error."""
        return max([each.code.exit_status for each in self.diagnostics], default=1)

    @property
    def messages(self) -> str:
        """What is wrong, in one line, without places and hints."""
        return "; ".join(each.message for each in self.diagnostics)

    def placed(self) -> tuple[PlacedDiagnostic, ...]:
        """Return the diagnostics as they are shown."""
        return resolve(self.diagnostics, self.positions)

    def __str__(self) -> str:
        return "\n".join(map(str, self.placed()))
