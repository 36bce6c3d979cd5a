"""The second check, of the bytes that will leave: against the schemas, then against what we promise beyond them.

streamt validates generated events offline against the pinned official OpenLineage core schema and every standard facet
schema it emits, plus its own identity and lifecycle invariants. Source: the specification's section "Offline validation
boundary".
"""

import json
from collections.abc import Iterable, Sequence

from streamt.diagnostics import Code, Diagnostic, Location, StreamtError
from streamt.openlineage import invariants
from streamt.openlineage.conformance import Conformance, Violation
from streamt.openlineage.invariants import Event, InvalidEventError
from streamt.openlineage.models import DatasetEvent


class Checker:
    """Checks events one after the other, such as those of one export, of one run or of one worker.

    Args:
        bare_references: whether inputs and outputs may be nothing but identities, each there once.
    """

    def __init__(self, *, bare_references: bool = True) -> None:
        self._conformance = Conformance()
        self._bare_references = bare_references
        self._seen: set[tuple[str, str, str]] = set()

    def check(self, line: bytes, location: Location) -> Event:
        """Check one event, as the bytes that will leave.

        Args:
            line: the event's canonical JSON.
            location: what it tells of, for messages.

        Returns:
            The event, as its model has read it.

        Raises:
            StreamtError: E506, with every violation.
        """
        parsed = json.loads(line)
        if found := self._conformance.violations(parsed, len(line)):
            raise _invalid(location, found)
        try:
            event = invariants.read_event(line, parsed["schemaURL"])
        except InvalidEventError as error:
            raise _invalid(location, error.violations) from None
        found = invariants.violations(event, line)
        if self._bare_references:
            found += invariants.bare_references(event)
        if found:
            raise _invalid(location, found)
        return event

    def check_static(self, line: bytes, location: Location) -> None:
        """Check one DatasetEvent or JobEvent, as `check` does; its identity must be new.

        Raises:
            StreamtError: E506, with every violation.
        """
        event = self.check(line, location)
        if isinstance(event, DatasetEvent):
            identity = ("dataset", event.dataset.namespace, event.dataset.name)
        else:
            identity = ("job", event.job.namespace, event.job.name)
        if identity in self._seen:
            raise _invalid(location, [Violation(f"a second event of the same {identity[0]}")])
        self._seen.add(identity)

    def check_run(self, lines: Sequence[bytes], location: Location) -> None:
        """Check the events of one finite run, each and together.

        Raises:
            StreamtError: E506, with every violation.
        """
        if found := invariants.lifecycle([self.check(line, location) for line in lines]):
            raise _invalid(location, found)


def _invalid(location: Location, violations: Iterable[Violation]) -> StreamtError:
    return StreamtError(
        *(
            Diagnostic(
                code=Code.OPENLINEAGE_INVALID,
                message=f"invalid OpenLineage event: {violation.message}"
                + (f", at `{violation.place}` of the event" if violation.place else ""),
                location=location,
            )
            for violation in violations
        )
    )
