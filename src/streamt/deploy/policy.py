"""What an environment demands of whoever changes it."""

from dataclasses import dataclass
from datetime import timedelta

from streamt.deploy.artifact import ResourceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The safety of one environment, with what `protected` implies filled in.

    Attributes:
        protected: whether a change needs more care: a bare class is no permission here.
        confirm: whether the environment's name must be typed, or given with `--confirm-env`.
        reviewed: whether only a saved plan may be applied.
        allow_destructive: whether something may be destroyed with `--allow`; None where the environment does not say,
            which allows changes that can lose records, and no deletion.
        deletable: the kinds of which something may be deleted.
        plan_max_age: how old a saved plan may be.
        remote_state: whether the state must be in a place that everybody sees.
    """

    protected: bool = False
    confirm: bool = False
    reviewed: bool = False
    allow_destructive: bool | None = None
    deletable: frozenset[ResourceKind] = frozenset()
    plan_max_age: timedelta | None = None
    remote_state: bool = False

    @property
    def may_destroy(self) -> bool:
        """Report whether `--allow destructive:ADDRESS` can be given at all."""
        return self.allow_destructive is True or (self.allow_destructive is None and not self.protected)
