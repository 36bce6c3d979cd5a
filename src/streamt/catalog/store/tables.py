"""The tables. Numbers are the keys; times are nanoseconds since 1970; what is compared without case is folded in code.

Long texts that identify something (names may have 10,000 characters) are unique by a digest of 16 bytes, `ident`.
"""

import hashlib

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)

Big = BigInteger().with_variant(Integer, "sqlite")


def ident(*parts: str | int) -> bytes:
    """Return a digest of `parts` in which no part can run into the next."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = str(part).encode()
        state.update(len(data).to_bytes(4) + data)
    return state.digest()


def _id() -> Column[int]:
    return Column("id", Big, primary_key=True, autoincrement=True)


def _ref(name: str, to: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, Big, ForeignKey(f"{to}.id"), nullable=nullable, index=True)


setting = Table("setting", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))

account = Table(
    "account",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("deleted_at", Big),
)
team = Table("team", metadata, _id(), Column("name", Text, nullable=False, unique=True))
membership = Table(
    "membership",
    metadata,
    Column("team_id", Big, ForeignKey("team.id"), primary_key=True),
    Column("account_id", Big, ForeignKey("account.id"), primary_key=True, index=True),
)
token = Table(
    "token",
    metadata,
    _id(),
    _ref("account_id", "account"),
    Column("name", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("rights", Text, nullable=False),
    _ref("team_id", "team", nullable=True),
    Column("created_at", Big, nullable=False),
    Column("expires_at", Big),
    Column("revoked_at", Big),
)
session = Table(
    "session",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    _ref("token_id", "token"),
    Column("csrf", Text, nullable=False),
    Column("expires_at", Big, nullable=False),
)
audit = Table(
    "audit",
    metadata,
    _id(),
    Column("at", Big, nullable=False),
    _ref("account_id", "account", nullable=True),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False),
)

connection = Table(
    "connection",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True),
    Column("type", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("port", Integer),
)
datastore = Table(
    "datastore",
    metadata,
    _id(),
    _ref("connection_id", "connection"),
    Column("ident", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("database", Text, nullable=False),
    Column("schema", Text, nullable=False),
    Column("root", Text, nullable=False),
)
grant = Table(
    "team_grant",
    metadata,
    Column("team_id", Big, ForeignKey("team.id"), primary_key=True),
    Column("datastore_id", Big, ForeignKey("datastore.id"), primary_key=True, index=True),
    Column("permission", Text, nullable=False),
)
asset = Table(
    "asset",
    metadata,
    _id(),
    _ref("datastore_id", "datastore", nullable=True),
    Column("ident", LargeBinary, nullable=False, unique=True),
    Column("key", LargeBinary, nullable=False, index=True),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("search", Text, nullable=False),
    Column("removed_at", Big),
)
"""A node of the graph: a container, which has a datastore, or an asset outside the catalog, which has a namespace."""

field = Table(
    "field",
    metadata,
    _id(),
    _ref("asset_id", "asset"),
    Column("ident", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("removed_at", Big),
)

dataset_name = Table(
    "dataset_name",
    metadata,
    _id(),
    Column("ident", LargeBinary, nullable=False, unique=True),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("tail", LargeBinary, nullable=False, index=True),
)
listing = Table(
    "listing",
    metadata,
    _id(),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("data", Text, nullable=False),
)
listing_name = Table(
    "listing_name",
    metadata,
    Column("listing_id", Big, ForeignKey("listing.id"), primary_key=True),
    Column("name_id", Big, ForeignKey("dataset_name.id"), primary_key=True, index=True),
)
scope = Table(
    "scope",
    metadata,
    _id(),
    Column("ident", LargeBinary, nullable=False, unique=True),
    Column("datastores", Text, nullable=False),
)
code = Table(
    "code",
    metadata,
    _id(),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("language", Text, nullable=False),
    Column("text", Text, nullable=False),
)
job = Table(
    "job",
    metadata,
    _id(),
    Column("ident", LargeBinary, nullable=False, unique=True),
    Column("namespace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("search", Text, nullable=False),
    Column("producer", Text, nullable=False),
    Column("latest_at", Big, nullable=False),
    Column("about", Text, nullable=False),
)
job_listing = Table(
    "job_listing",
    metadata,
    Column("job_id", Big, ForeignKey("job.id"), primary_key=True),
    Column("listing_id", Big, ForeignKey("listing.id"), primary_key=True, index=True),
)
run = Table(
    "run",
    metadata,
    _id(),
    _ref("job_id", "job"),
    Column("uuid", Text, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("started_at", Big, nullable=False),
    Column("ended_at", Big),
    Column("latest_at", Big, nullable=False),
    Column("about", Text, nullable=False),
    Column("lost", Boolean, nullable=False),
    UniqueConstraint("job_id", "uuid"),
)
event = Table(
    "event",
    metadata,
    _id(),
    Column("received_at", Big, nullable=False, index=True),
    Column("digest", LargeBinary, nullable=False),
    Column("submitter_id", Big, ForeignKey("account.id"), nullable=False, index=True),
    Column("scope_id", Big, ForeignKey("scope.id"), nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("job_id", Big, ForeignKey("job.id"), index=True),
    Column("run_id", Big, ForeignKey("run.id"), index=True),
    Column("event_time", Big, nullable=False),
    Column("listing_id", Big, ForeignKey("listing.id")),
    Column("code_id", Big, ForeignKey("code.id")),
    Column("producer", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("problems", Text, nullable=False),
)
event_body = Table(
    "event_body",
    metadata,
    Column("event_id", Big, ForeignKey("event.id"), primary_key=True, autoincrement=False),
    Column("encoding", SmallInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
event_seen = Table(
    "event_seen",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("submitter_id", Big, primary_key=True, autoincrement=False),
    Column("scope_id", Big, primary_key=True, autoincrement=False),
    Column("event_id", Big, ForeignKey("event.id"), nullable=False, index=True),
)
authority = Table(
    "authority",
    metadata,
    Column("job_id", Big, ForeignKey("job.id"), primary_key=True, autoincrement=False),
    Column("event_id", Big, ForeignKey("event.id"), primary_key=True, autoincrement=False, index=True),
    Column("run_id", Big, nullable=False, index=True),
    Column("event_time", Big, nullable=False),
    Column("rank", SmallInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("scope_id", Big, ForeignKey("scope.id"), nullable=False),
)
"""The latest truth of each job, one for each part of the datastores that no newer one reaches."""

edge = Table(
    "edge",
    metadata,
    _id(),
    Column("source_id", Big, ForeignKey("asset.id"), nullable=False),
    Column("target_id", Big, ForeignKey("asset.id"), nullable=False),
    Column("source_field", Big, nullable=False),
    Column("target_field", Big, nullable=False),
    Column("origin", Text, nullable=False),
    Column("evidence_count", Integer, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("retired_at", Big),
    Column("retired_event", Big, index=True),
    Column("retired_by", Big),
    Column("deleted_at", Big, nullable=False),
    Column("description", Text, nullable=False),
    UniqueConstraint("source_id", "target_id", "source_field", "target_field", "origin"),
    Index("ix_edge_target", "target_id"),
)
_ACTIVE = edge.c.retired_at.is_(None)
Index("ix_edge_down", edge.c.source_id, edge.c.target_id, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE)
Index("ix_edge_up", edge.c.target_id, edge.c.source_id, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE)

claim = Table(
    "claim",
    metadata,
    Column("job_id", Big, ForeignKey("job.id"), primary_key=True, autoincrement=False),
    Column("edge_id", Big, ForeignKey("edge.id"), primary_key=True, autoincrement=False, index=True),
    Column("slot", Big, primary_key=True, autoincrement=False),
    Column("run_id", Big, nullable=False, index=True),
    Column("event_id", Big, ForeignKey("event.id"), nullable=False, index=True),
    Column("event_time", Big, nullable=False),
    Column("rank", SmallInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("source_time", Big, nullable=False),
    Column("target_time", Big, nullable=False),
    Column("how", Text, nullable=False),
)
"""That a job asserts an edge: slot 0 for its truth, else the run in progress that does (C6)."""

edge_history = Table(
    "edge_history",
    metadata,
    _id(),
    _ref("edge_id", "edge"),
    Column("at", Big, nullable=False),
    Column("what", Text, nullable=False),
    Column("event_id", Big, index=True),
    Column("account_id", Big),
)
tombstone = Table(
    "tombstone",
    metadata,
    _id(),
    _ref("name_id", "dataset_name"),
    _ref("asset_id", "asset", nullable=True),
    Column("event_time", Big, nullable=False),
    Column("scope_id", Big, ForeignKey("scope.id"), nullable=False),
    Column("event_id", Big, ForeignKey("event.id"), nullable=False, index=True),
)
text_value = Table(
    "text_value",
    metadata,
    _id(),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("text", Text, nullable=False),
)
metadata_report = Table(
    "metadata_report",
    metadata,
    _id(),
    Column("asset_id", Big, ForeignKey("asset.id"), nullable=False),
    Column("field_id", Big, nullable=False),
    Column("attribute", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("event_time", Big, nullable=False),
    Column("rank", SmallInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("value_id", Big, ForeignKey("text_value.id")),
    Column("event_id", Big, index=True),
    Column("account_id", Big),
    Index("ix_metadata_report_subject", "asset_id", "attribute", "source", "field_id", "event_time"),
)
metadata_value = Table(
    "metadata_value",
    metadata,
    Column("asset_id", Big, ForeignKey("asset.id"), primary_key=True, autoincrement=False),
    Column("field_id", Big, primary_key=True, autoincrement=False),
    Column("attribute", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("value", Text),
    Column("changed_at", Big, nullable=False),
    Column("reported_at", Big, nullable=False),
    Column("event_id", Big, index=True),
    Column("account_id", Big),
)
tag_edit = Table(
    "tag_edit",
    metadata,
    _id(),
    _ref("asset_id", "asset"),
    Column("field_id", Big, nullable=False),
    Column("tag", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("added", Boolean, nullable=False),
    Column("at", Big, nullable=False),
    Column("account_id", Big, nullable=False),
)
tag = Table(
    "tag",
    metadata,
    _id(),
    _ref("asset_id", "asset"),
    Column("field_id", Big, nullable=False),
    Column("tag", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("source", Text, nullable=False),
)
timeline = Table(
    "timeline",
    metadata,
    _id(),
    _ref("asset_id", "asset"),
    Column("at", Big, nullable=False),
    Column("what", Text, nullable=False),
    Column("event_id", Big, index=True),
    Column("account_id", Big),
    Column("producer", Text, nullable=False),
)
replay = Table(
    "replay",
    metadata,
    Column("job_id", Big, ForeignKey("job.id"), primary_key=True, autoincrement=False),
    Column("requested_at", Big, nullable=False),
    Column("datastores", Text, nullable=False),
)
