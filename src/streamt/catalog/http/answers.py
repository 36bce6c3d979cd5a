"""The shapes of answers, for the OpenAPI document and for whoever builds on it."""

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

Item = TypeVar("Item")


class Listed(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next: str | None = Field(description="The cursor of the next page; null at the end.")


class StoreRef(BaseModel):
    """A datastore by number and name."""

    id: int
    name: str


class NodeField(BaseModel):
    """A field of a node."""

    id: int
    name: str
    type: str


class Hidden(BaseModel):
    """How many neighbours are not in the answer."""

    upstream: int
    downstream: int


class Node(BaseModel):
    """A container, or an asset outside the catalog; one that the caller may not view has a name only."""

    id: int
    kind: Literal["container", "outside"]
    name: str
    visible: bool = Field(description="Whether the caller has Viewer on it; outside assets always.")
    namespace: str | None = Field(None, description="Of an outside asset.")
    type: str | None = Field(None, description="table, view, topic, file, directory.")
    system: str | None = Field(None, description="The connection's type: postgres, kafka ...")
    connection: str | None = None
    datastore: StoreRef | None = None
    removed: bool = Field(default=False, description="Whether the last whole sync no longer named it.")


class GraphNode(Node):
    """A node of a graph."""

    distance: int = Field(description="Steps from the focus; negative upstream.")
    hidden: Hidden
    self: bool = Field(default=False, description="Whether a job reads and writes it.")
    fields: list[NodeField] | None = Field(None, description="Where fields were asked for.")


class Origin(BaseModel):
    """One of the edges that a line stands for."""

    origin: Literal["openlineage", "manual"]
    id: int


class JobRef(BaseModel):
    """A job's identity."""

    id: int
    namespace: str
    name: str


class GraphEdge(BaseModel):
    """A line of a graph: the edges of one pair of nodes or fields, whatever their origins."""

    id: int
    source: int
    target: int
    source_field: int | None
    target_field: int | None
    origins: list[Origin]
    retired: bool
    jobs: list[JobRef] = Field(description="Who asserts it; only with Viewer on both sides.")
    producers: list[str]


class Graph(BaseModel):
    """A part of the graph around a node."""

    node: int
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool = Field(description="Whether there is more within the steps asked for.")


class Shown(BaseModel):
    """A value with whose it is."""

    value: str | None
    source: str | None = Field(description="user, openlineage, sync; null if nothing is shown.")
    changed_at: str | None
    sources: list[str] = Field(description="The sources besides users that ever said something.")


class TagAnswer(BaseModel):
    """A tag."""

    key: str
    value: str
    source: str = Field(description="user or openlineage.")


class FieldAnswer(BaseModel):
    """A field of a container."""

    id: int
    name: str
    type: str
    description: Shown
    tags: list[TagAnswer]


class OwnerAnswer(BaseModel):
    """An owner, as descriptive metadata; it grants nothing."""

    name: str
    type: str | None = None


class ContainerAnswer(Node):
    """A container in full."""

    description: Shown
    owners: list[OwnerAnswer]
    tags: list[TagAnswer]
    fields: list[FieldAnswer]
    editable: bool


class Assertion(BaseModel):
    """A source's value of one attribute."""

    field: int | None
    attribute: str
    source: str
    value: str | None
    changed_at: str
    reported_at: str
    withdrawn: bool
    shown: bool
    producer: str | None
    event: int | None


class ReportAnswer(BaseModel):
    """One thing that was said of a container."""

    id: int
    field: int | None
    attribute: str
    source: str
    value: str | None
    at: str
    producer: str | None
    event: int | None


class TimelineItem(BaseModel):
    """One change of a container; never the job or the run behind it."""

    id: int
    at: str
    change: dict[str, Any]
    user: str | None = Field(description="Who edited it, or whose token sent the event.")
    producer: str | None = Field(description="The co-author, for an event.")
    event: int | None


class TransformationAnswer(BaseModel):
    """One way in which an input field is used."""

    type: str
    subtype: str
    description: str
    masking: bool


class FieldRef(BaseModel):
    """A field of a dataset as events name it."""

    namespace: str
    name: str
    field: str


class Carried(BaseModel):
    """Column lineage that a table edge carries."""

    source: FieldRef
    target_field: str | None
    transformations: list[TransformationAnswer]


class RunRef(BaseModel):
    """A run and its state."""

    id: str
    state: str


class CodeAnswer(BaseModel):
    """A job's SQL or source code."""

    language: str
    text: str


class Evidence(BaseModel):
    """That a job asserts an edge; all but producer, kind and time only with Viewer on every container it touches."""

    producer: str
    kind: Literal["run", "definition"]
    time: str
    job: JobRef | None = None
    submitter: str | None = None
    event: int | None = None
    run: RunRef | None = None
    transformations: list[TransformationAnswer] | None = None
    fields: list[Carried] | None = None
    code: CodeAnswer | None = None


class HistoryItem(BaseModel):
    """One step in the life of an edge."""

    at: str
    what: str = Field(description="asserted or retired.")
    producer: str | None
    event: int | None = None
    user: str | None = None


class EdgeAnswer(BaseModel):
    """An edge with its evidence."""

    id: int
    origin: Literal["openlineage", "manual"]
    source: Node
    target: Node
    source_field: str | None
    target_field: str | None
    active: bool
    created_at: str
    retired_at: str | None
    retired_by_event: int | None
    retired_by_user: str | None
    description: str
    description_source: str | None
    details: bool = Field(description="Whether the caller may see jobs, runs, submitters and code.")
    editable: bool
    evidence: list[Evidence]
    history: list[HistoryItem]


class Hit(BaseModel):
    """Something that a search found."""

    kind: Literal["container", "outside", "field", "job"]
    id: int
    name: str
    namespace: str = Field(description="The datastore, namespace, table or job namespace that it belongs to.")
    node: int | None = Field(None, description="The node to show; null for a job.")


class JobItem(BaseModel):
    """A job in a list."""

    id: int
    namespace: str
    name: str
    producer: str
    latest_at: str | None


class JobEdge(BaseModel):
    """An edge that a job asserts."""

    id: int
    source: Node
    target: Node


class JobAnswer(JobItem):
    """A job in full."""

    about: dict[str, Any]
    edges: list[JobEdge]


class RunAnswer(BaseModel):
    """A run of a job."""

    id: int
    run: str
    state: str
    started_at: str
    ended_at: str | None
    about: dict[str, Any]


class JobName(BaseModel):
    """A job's name."""

    namespace: str
    name: str


class EventItem(BaseModel):
    """What was received: never a body, never an unknown facet."""

    id: int
    received_at: str
    event_time: str
    kind: str | None
    status: str
    submitter: str
    producer: str
    job: JobName | None
    run: str | None
    problems: list[dict[str, str]]


class ConnectionAnswer(BaseModel):
    """A system."""

    id: int
    name: str
    type: str
    host: str
    port: int | None


class DatastoreAnswer(BaseModel):
    """A database and schema, a root path or a cluster, on a connection."""

    id: int
    name: str
    connection: ConnectionAnswer
    database: str
    schema_: str = Field(alias="schema")
    root: str
    editable: bool


class ContainerItem(BaseModel):
    """A container in a list."""

    id: int
    name: str
    type: str
    removed: bool


class SyncAnswer(BaseModel):
    """What a registration did."""

    containers: list[int]
    added: int
    removed: int
    replaying: int = Field(description="How many jobs named something of it and are replayed now.")


class EventSyncAnswer(BaseModel):
    """What was registered of what the events name."""

    containers: int
    added: int
    replaying: int


class Made(BaseModel):
    """The number of what was made, or found."""

    id: int


class MadeToken(Made):
    """A token; it is shown this once."""

    token: str


class UserAnswer(BaseModel):
    """A user."""

    id: int
    name: str
    role: str
    teams: list[str]


class TeamAnswer(BaseModel):
    """A team."""

    id: int
    name: str
    members: list[str]


class GrantAnswer(BaseModel):
    """What a team may do on a datastore."""

    team: str
    datastore: int
    permission: Literal["viewer", "editor"]


class TokenAnswer(BaseModel):
    """A token, without itself."""

    id: int
    name: str
    user: str
    rights: list[str]
    team: str | None
    created_at: str
    expires_at: str | None
    revoked: bool


class AuditItem(BaseModel):
    """A change by a person."""

    id: int
    at: str
    user: str | None
    action: str
    subject: str
    detail: dict[str, Any]


class SessionAnswer(BaseModel):
    """Who is signed in."""

    user: str
    role: str
    rights: list[str]
    csrf: str | None = Field(None, description="To be sent as X-CSRF-Token with every change.")


class Status(BaseModel):
    """How much there is, and what is going on."""

    events: int
    containers: int
    jobs: int
    edges: int
    replaying: int = Field(description="How many jobs wait to be replayed.")
    hint: str | None = Field(None, description="What to do next, while nothing can be shown.")
