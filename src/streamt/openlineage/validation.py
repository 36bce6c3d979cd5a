"""The second check, of the bytes that will leave: against the schemas, then against what we promise beyond them.

streamt validates generated events offline against the pinned official OpenLineage core schema and every standard facet
schema it emits, plus its own identity and lifecycle invariants. Source: the specification's section "Offline validation
boundary".
"""

import json
from collections.abc import Iterable, Sequence

from streamt.diagnostics import Code, Diagnostic, Location, StreamtError
from streamt.openlineage import invariants
from streamt.openlineage.conformance import Conformance, Json, Violation
from streamt.openlineage.invariants import Event, InvalidEventError
from streamt.openlineage.models import DatasetEvent, JobEvent


class Checker:
    """Checks events one after the other, such as those of one export, of one run or of one worker.

    Args:
        bare_references: whether inputs and outputs may be nothing but identities, each there once.
    """

    def __init__(self, *, bare_references: bool = True) -> None:
        self._conformance = Conformance()
        self._bare_references = bare_references
        self._seen: set[tuple[str, str, str]] = set()

    def write(self, event: Event, location: Location) -> bytes:
        """Write an event and check what was written.

        Args:
            event: the event, as its model has taken it.
            location: what it tells of, for messages.

        Returns:
            Its canonical JSON, which may leave.

        Raises:
            StreamtError: E506, with every violation.
        """
        line = event.to_json()
        self._conform(line, location)
        self._keep(event, location)
        return line

    def write_static(self, event: DatasetEvent | JobEvent, location: Location) -> bytes:
        """Write and check an event of an export, as `write` does; its identity must be new.

        Raises:
            StreamtError: E506, with every violation.
        """
        line = self.write(event, location)
        if isinstance(event, DatasetEvent):
            identity = ("dataset", event.dataset.namespace, event.dataset.name)
        else:
            identity = ("job", event.job.namespace, event.job.name)
        if identity in self._seen:
            raise _invalid(location, [Violation(f"a second event of the same {identity[0]}")])
        self._seen.add(identity)
        return line

    def check(self, line: bytes, location: Location) -> Event:
        """Check an event that was written already, as it is read by its model.

        Raises:
            StreamtError: E506, with every violation; any other spelling than the canonical one is one.
        """
        parsed = self._conform(line, location)
        try:
            event = invariants.read_event(line, parsed["schemaURL"])
        except InvalidEventError as error:
            raise _invalid(location, error.violations) from None
        self._keep(event, location)
        return event

    def check_run(self, lines: Sequence[bytes], location: Location) -> None:
        """Check the events of one finite run, each and together.

        Raises:
            StreamtError: E506, with every violation.
        """
        if found := invariants.lifecycle([self.check(line, location) for line in lines]):
            raise _invalid(location, found)

    def _conform(self, line: bytes, location: Location) -> Json:
        """Parse what was written, and hold it against the schemas."""
        parsed: Json = json.loads(line)
        if found := self._conformance.violations(parsed, len(line)):
            raise _invalid(location, found)
        return parsed

    def _keep(self, event: Event, location: Location) -> None:
        """Hold an event against what we promise beyond the schemas."""
        found = invariants.violations(event)
        if self._bare_references:
            found += invariants.bare_references(event)
        if found:
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
