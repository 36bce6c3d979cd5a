"""Plans: made from what is desired, applied and live; shown, saved, and executed as they are."""

from streamt.deploy.plan.data import action_data, plan_data
from streamt.deploy.plan.file import load_plan, plan_digest, save_plan
from streamt.deploy.plan.impact import Exposed, Reach
from streamt.deploy.plan.make import Planned, make_plan
from streamt.deploy.plan.model import Action, AffectedExposure, Deferred, Impact, Orphan, Plan
from streamt.deploy.plan.scope import Scope, Selection
from streamt.deploy.plan.stale import check_header, check_same

__all__ = [
    "Action",
    "AffectedExposure",
    "Deferred",
    "Exposed",
    "Impact",
    "Orphan",
    "Plan",
    "Planned",
    "Reach",
    "Scope",
    "Selection",
    "action_data",
    "check_header",
    "check_same",
    "load_plan",
    "make_plan",
    "plan_data",
    "plan_digest",
    "save_plan",
]
