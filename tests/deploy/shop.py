"""A made-up project for the tests of plans: what it declares, and how it is applied to a files provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from streamt.deploy.apply import Report, Request, apply
from streamt.deploy.artifact import Address, Artifact, Content, Declaration, ResourceKind
from streamt.deploy.execute import ActionReport
from streamt.deploy.gate import Allowance, Permissions
from streamt.deploy.plan import Action, AffectedExposure, Exposed, Plan, Reach, Scope, Selection, make_plan
from streamt.deploy.policy import Policy
from streamt.deploy.project import DeployProject, Moved, Removed, Secrets
from streamt.deploy.state import LocalStore, StateFiles, Store, state_address
from tests.deploy.files_provider import Files, make_files


def address(name: str) -> Address:
    return Address(project="shop", environment="prod", kind=ResourceKind.TOPIC, name=name)


def artifact(logical: str, content: Mapping[str, Content] | None = None, /, **more: Any) -> Artifact:
    return Artifact(
        **{
            "address": address(logical),
            "name": logical,
            "content": content if content is not None else {"size": 1},
            "declaration": Declaration(kind="model", name=logical, owner="team-a"),
            **more,
        }
    )


def shop(*artifacts: Artifact, **more: Any) -> DeployProject:
    ordered = tuple(sorted(artifacts, key=lambda each: str(each.address)))
    return DeployProject(**{"project": "shop", "environment": "prod", "artifacts": ordered, **more})


class Never:
    """Nobody asks to stop."""

    is_requested = False


@dataclass
class Log:
    """Takes note of how an apply goes."""

    plans: list[Plan] = field(default_factory=list)
    operations: list[tuple[str, datetime]] = field(default_factory=list)
    reports: list[ActionReport] = field(default_factory=list)

    def planned(self, plan: Plan) -> None:
        self.plans.append(plan)

    def begun(self, operation: str, started_at: datetime) -> None:
        self.operations.append((operation, started_at))

    def acting(self, index: int, action: Action) -> None:
        pass

    def acted(self, index: int, report: ActionReport) -> None:
        self.reports.append(report)


@dataclass
class World:
    """A provider, a store, and what is asked of them."""

    files: Files
    store: Store
    policy: Policy = field(default_factory=Policy)
    log: Log = field(default_factory=Log)

    def scope(self, project: DeployProject, **more: Any) -> Scope:
        return Scope(
            **{
                "project": project,
                "policy": self.policy,
                "snapshot": self.store.read(),
                "providers": {ResourceKind.TOPIC: self.files.provider(project.secrets)},
                **more,
            }
        )

    def plan(self, *artifacts: Artifact, **more: Any) -> Plan:
        return self.plan_of(shop(*artifacts), **more)

    def plan_of(self, project: DeployProject, **more: Any) -> Plan:
        return make_plan(self.scope(project, **more)).plan

    def apply(self, *artifacts: Artifact, **more: Any) -> Report:
        return self.apply_to(shop(*artifacts), **more)

    def apply_to(
        self, project: DeployProject, *, allow: tuple[str, ...] = (), confirmed: str | None = None, **more: Any
    ) -> Report:
        """Apply a project; `allow` and `confirmed` are what the command line would give."""
        permissions = Permissions(
            allowances=tuple(map(Allowance.parse, allow)), confirmed=confirmed, is_reviewed="saved" in more
        )
        scope_options = {key: more.pop(key) for key in ("refresh_only", "selection", "with_readers") if key in more}
        stop = more.pop("stop", Never())
        request = Request(
            scope=self.scope(project, **scope_options), store=self.store, permissions=permissions, wait=0.0, **more
        )
        return apply(request, self.log, stop)

    @property
    def serial(self) -> int | None:
        document = self.store.read().document
        return document.serial if document else None

    @property
    def applied(self) -> dict[str, Mapping[str, Content]]:
        return {each.name: value.content for each, value in self.store.read().resources.items()}


def make_world(folder: Path, store: Store | None = None) -> World:
    made = store or LocalStore(StateFiles(folder, "prod"), state_address("default", "shop", "prod"))
    return World(make_files(folder / "provider"), made)


__all__ = [
    "AffectedExposure",
    "Exposed",
    "Log",
    "Moved",
    "Reach",
    "Removed",
    "Secrets",
    "Selection",
    "World",
    "address",
    "artifact",
    "make_world",
    "replace",
    "shop",
]
