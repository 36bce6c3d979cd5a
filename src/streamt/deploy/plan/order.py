"""The order in which actions are executed: what is needed comes first, and is taken away last."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from streamt.deploy.artifact import Address, ResourceKind
from streamt.deploy.backend import Verb
from streamt.deploy.plan.model import Action

_KINDS = (
    ResourceKind.SCHEMA,
    ResourceKind.TOPIC,
    ResourceKind.GATEWAY_RULE,
    ResourceKind.FLINK_JOB,
    ResourceKind.CONNECTOR,
)
_RANK = {kind: rank for rank, kind in enumerate(_KINDS)}


def in_order(actions: Iterable[Action], needs: Mapping[str, frozenset[str]]) -> tuple[Action, ...]:
    """Return the actions as they are executed.

    First what only changes addresses, then what is made or changed, kind by kind and each after what it depends on,
    then what is taken away, in the opposite order.

    Args:
        actions: in any order.
        needs: the logical names that each logical name reads, for resources of one kind.
    """
    actions = tuple(actions)
    depth = _depths(actions, needs)

    def rank(action: Action) -> tuple[int, int, int, str]:
        kind, level = _RANK[action.kind], depth[action.address]
        address = str(action.address)
        if action.verb is Verb.MOVE:
            return 0, kind, level, address
        if action.verb in (Verb.DELETE, Verb.FORGET):
            return 2, -kind, -level, address
        return 1, kind, level, address

    return tuple(sorted(actions, key=rank))


def _depths(actions: tuple[Action, ...], needs: Mapping[str, frozenset[str]]) -> dict[Address, int]:
    """Return how long the longest chain is that each action waits for."""
    by_address = {each.address: each for each in actions}
    by_name: dict[tuple[ResourceKind, str], list[Address]] = {}
    for address in by_address:
        by_name.setdefault((address.kind, address.name), []).append(address)
    before = {
        address: {
            *(each for each in action.depends_on if each in by_address),
            *(each for name in needs.get(address.name, ()) for each in by_name.get((address.kind, name), ())),
        }
        - {address}
        for address, action in by_address.items()
    }
    if not any(before.values()):
        return dict.fromkeys(before, 0)
    depth: dict[Address, int] = {}
    for address in _sorted(before):
        depth[address] = 1 + max((depth[each] for each in before[address]), default=-1)
    return depth


def _sorted(before: Mapping[Address, set[Address]]) -> Iterable[Address]:
    try:
        return tuple(TopologicalSorter(before).static_order())
    except CycleError:  # two schemas that refer to each other: the registry refuses the first, and says so
        return tuple(TopologicalSorter({address: set() for address in before}).static_order())
