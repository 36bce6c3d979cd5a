"""Keys of a model that have no meaning for what the model becomes: none of them is dropped in silence."""

from collections.abc import Iterator

from streamt.compiler.materialize import SINK, TOPIC, VIRTUAL
from streamt.compiler.model import Draft
from streamt.diagnostics import Diagnostic, ProjectPath

_Path = tuple[str, ...]


def check_idle_keys(draft: Draft) -> Iterator[Diagnostic]:
    """Yield an error for each key that means nothing for what the model becomes."""
    kind = draft.declared
    if kind is None:
        return
    declared = set(_declared_keys(draft))
    for key in _meaningless(draft):
        if key in declared:
            message = f"`{'.'.join(key)}` has no meaning for"
            place = ProjectPath((*draft.path.parts, *key)).key()
            yield draft.error(f"{message} a `{kind}` model", place, _hint(key, draft))


def _meaningless(draft: Draft) -> Iterator[_Path]:
    kind = draft.declared
    has_job = draft.model.has_sql and kind not in (SINK, VIRTUAL)
    if kind in (SINK, VIRTUAL):
        yield from (("topic",), ("advanced", "topic"))
    if not has_job:
        yield from (("advanced", "flink"), ("advanced", "flink_cluster"))
    # A sink without a connector is told to be meant as a virtual topic, perhaps.
    if kind is not VIRTUAL and not (kind is SINK and draft.model.sink_connector is None):
        yield from (("gateway", "virtual_topic"), ("advanced", "gateway", "virtual_topic"))
        yield ("advanced", "virtual_topic")
    if kind is not SINK:
        yield ("advanced", "connect_cluster")


def _declared_keys(draft: Draft) -> Iterator[_Path]:
    """Yield the keys that the model sets, as far as they may be without meaning."""
    model, advanced = draft.model, draft.model.advanced
    if model.topic is not None:
        yield ("topic",)
    if model.gateway is not None and model.gateway.virtual_topic not in (None, False):
        yield ("gateway", "virtual_topic")
    if advanced is None:
        return
    for key in ("topic", "flink", "flink_cluster", "connect_cluster"):
        if getattr(advanced, key) is not None:
            yield ("advanced", key)
    if advanced.virtual_topic:
        yield ("advanced", "virtual_topic")
    if advanced.gateway is not None and advanced.gateway.virtual_topic not in (None, False):
        yield ("advanced", "gateway", "virtual_topic")


def _hint(key: _Path, draft: Draft) -> str:
    if key[-1] == "virtual_topic":
        return "remove it, or write `materialized: virtual_topic`"
    if draft.declared is VIRTUAL:
        return "remove it, or write `materialized: flink`"
    if draft.declared is TOPIC and key[:2] in (("advanced", "flink"), ("advanced", "flink_cluster")):
        return "remove it: without SQL there is no Flink job"
    return "remove it"
