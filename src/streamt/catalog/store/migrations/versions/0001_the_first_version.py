"""The first version."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "account",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("deleted_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_table(
        "code",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_code")),
        sa.UniqueConstraint("digest", name=op.f("uq_code_digest")),
    )
    op.create_table(
        "connection",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("port", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connection")),
        sa.UniqueConstraint("name", name=op.f("uq_connection_name")),
    )
    op.create_table(
        "dataset_name",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("ident", sa.LargeBinary(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tail", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset_name")),
        sa.UniqueConstraint("ident", name=op.f("uq_dataset_name_ident")),
    )
    op.create_index(op.f("ix_dataset_name_tail"), "dataset_name", ["tail"], unique=False)
    op.create_table(
        "job",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("ident", sa.LargeBinary(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("latest_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("ident", name=op.f("uq_job_ident")),
    )
    op.create_table(
        "listing",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_listing")),
        sa.UniqueConstraint("digest", name=op.f("uq_listing_digest")),
    )
    op.create_table(
        "scope",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("ident", sa.LargeBinary(), nullable=False),
        sa.Column("datastores", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scope")),
        sa.UniqueConstraint("ident", name=op.f("uq_scope_ident")),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )
    op.create_table(
        "team",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("name", name=op.f("uq_team_name")),
    )
    op.create_table(
        "text_value",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_value")),
        sa.UniqueConstraint("digest", name=op.f("uq_text_value_digest")),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_audit_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_account_id"), "audit", ["account_id"], unique=False)
    op.create_table(
        "datastore",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("connection_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ident", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("database", sa.Text(), nullable=False),
        sa.Column("schema", sa.Text(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["connection_id"], ["connection.id"], name=op.f("fk_datastore_connection_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datastore")),
        sa.UniqueConstraint("ident", name=op.f("uq_datastore_ident")),
    )
    op.create_index(op.f("ix_datastore_connection_id"), "datastore", ["connection_id"], unique=False)
    op.create_table(
        "job_listing",
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("listing_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_listing_job_id")),
        sa.ForeignKeyConstraint(["listing_id"], ["listing.id"], name=op.f("fk_job_listing_listing_id")),
        sa.PrimaryKeyConstraint("job_id", "listing_id", name=op.f("pk_job_listing")),
    )
    op.create_index(op.f("ix_job_listing_listing_id"), "job_listing", ["listing_id"], unique=False)
    op.create_table(
        "listing_name",
        sa.Column("listing_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["listing_id"], ["listing.id"], name=op.f("fk_listing_name_listing_id")),
        sa.ForeignKeyConstraint(["name_id"], ["dataset_name.id"], name=op.f("fk_listing_name_name_id")),
        sa.PrimaryKeyConstraint("listing_id", "name_id", name=op.f("pk_listing_name")),
    )
    op.create_index(op.f("ix_listing_name_name_id"), "listing_name", ["name_id"], unique=False)
    op.create_table(
        "membership",
        sa.Column("team_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_membership_account_id")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_membership_team_id")),
        sa.PrimaryKeyConstraint("team_id", "account_id", name=op.f("pk_membership")),
    )
    op.create_index(op.f("ix_membership_account_id"), "membership", ["account_id"], unique=False)
    op.create_table(
        "replay",
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("requested_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("datastores", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_replay_job_id")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_replay")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ended_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("latest_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("lost", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_run_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("job_id", "uuid", name=op.f("uq_run_job_id_uuid")),
    )
    op.create_index(op.f("ix_run_job_id"), "run", ["job_id"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("rights", sa.Text(), nullable=False),
        sa.Column("team_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("created_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("expires_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("revoked_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_token_account_id")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_token_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("hash", name=op.f("uq_token_hash")),
    )
    op.create_index(op.f("ix_token_account_id"), "token", ["account_id"], unique=False)
    op.create_index(op.f("ix_token_team_id"), "token", ["team_id"], unique=False)
    op.create_table(
        "asset",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("datastore_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("ident", sa.LargeBinary(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["datastore_id"], ["datastore.id"], name=op.f("fk_asset_datastore_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset")),
        sa.UniqueConstraint("ident", name=op.f("uq_asset_ident")),
    )
    op.create_index(op.f("ix_asset_datastore_id"), "asset", ["datastore_id"], unique=False)
    op.create_index(op.f("ix_asset_key"), "asset", ["key"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("received_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("submitter_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("scope_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("event_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("listing_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("code_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("problems", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["code_id"], ["code.id"], name=op.f("fk_event_code_id")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_event_job_id")),
        sa.ForeignKeyConstraint(["listing_id"], ["listing.id"], name=op.f("fk_event_listing_id")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_event_run_id")),
        sa.ForeignKeyConstraint(["scope_id"], ["scope.id"], name=op.f("fk_event_scope_id")),
        sa.ForeignKeyConstraint(["submitter_id"], ["account.id"], name=op.f("fk_event_submitter_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index(op.f("ix_event_job_id"), "event", ["job_id"], unique=False)
    op.create_index(op.f("ix_event_received_at"), "event", ["received_at"], unique=False)
    op.create_index(op.f("ix_event_run_id"), "event", ["run_id"], unique=False)
    op.create_index(op.f("ix_event_submitter_id"), "event", ["submitter_id"], unique=False)
    op.create_table(
        "session",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("token_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_session_token_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_token_id"), "session", ["token_id"], unique=False)
    op.create_table(
        "team_grant",
        sa.Column("team_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("datastore_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("permission", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["datastore_id"], ["datastore.id"], name=op.f("fk_team_grant_datastore_id")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_team_grant_team_id")),
        sa.PrimaryKeyConstraint("team_id", "datastore_id", name=op.f("pk_team_grant")),
    )
    op.create_index(op.f("ix_team_grant_datastore_id"), "team_grant", ["datastore_id"], unique=False)
    op.create_table(
        "authority",
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column(
            "event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("event_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("scope_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_authority_event_id")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_authority_job_id")),
        sa.ForeignKeyConstraint(["scope_id"], ["scope.id"], name=op.f("fk_authority_scope_id")),
        sa.PrimaryKeyConstraint("job_id", "event_id", name=op.f("pk_authority")),
    )
    op.create_index(op.f("ix_authority_event_id"), "authority", ["event_id"], unique=False)
    op.create_index(op.f("ix_authority_run_id"), "authority", ["run_id"], unique=False)
    op.create_table(
        "edge",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("target_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("source_field", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("target_field", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("evidence_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("retired_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("retired_event", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("retired_by", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("deleted_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["asset.id"], name=op.f("fk_edge_source_id")),
        sa.ForeignKeyConstraint(["target_id"], ["asset.id"], name=op.f("fk_edge_target_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_edge")),
        sa.UniqueConstraint(
            "source_id",
            "target_id",
            "source_field",
            "target_field",
            "origin",
            name=op.f("uq_edge_source_id_target_id_source_field_target_field_origin"),
        ),
    )
    op.create_index(
        "ix_edge_down",
        "edge",
        ["source_id", "target_id"],
        unique=False,
        sqlite_where=sa.text("retired_at IS NULL"),
        postgresql_where=sa.text("retired_at IS NULL"),
    )
    op.create_index(op.f("ix_edge_retired_event"), "edge", ["retired_event"], unique=False)
    op.create_index("ix_edge_target", "edge", ["target_id"], unique=False)
    op.create_index(
        "ix_edge_up",
        "edge",
        ["target_id", "source_id"],
        unique=False,
        sqlite_where=sa.text("retired_at IS NULL"),
        postgresql_where=sa.text("retired_at IS NULL"),
    )
    op.create_table(
        "event_body",
        sa.Column(
            "event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("encoding", sa.SmallInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_event_body_event_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_event_body")),
    )
    op.create_table(
        "event_seen",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column(
            "submitter_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column(
            "scope_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_event_seen_event_id")),
        sa.PrimaryKeyConstraint("digest", "submitter_id", "scope_id", name=op.f("pk_event_seen")),
    )
    op.create_index(op.f("ix_event_seen_event_id"), "event_seen", ["event_id"], unique=False)
    op.create_table(
        "field",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ident", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("removed_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_field_asset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_field")),
        sa.UniqueConstraint("ident", name=op.f("uq_field_ident")),
    )
    op.create_index(op.f("ix_field_asset_id"), "field", ["asset_id"], unique=False)
    op.create_table(
        "metadata_report",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("field_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("event_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("value_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_metadata_report_asset_id")),
        sa.ForeignKeyConstraint(["value_id"], ["text_value.id"], name=op.f("fk_metadata_report_value_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metadata_report")),
    )
    op.create_index(op.f("ix_metadata_report_event_id"), "metadata_report", ["event_id"], unique=False)
    op.create_index(
        "ix_metadata_report_subject",
        "metadata_report",
        ["asset_id", "attribute", "source", "field_id", "event_time"],
        unique=False,
    )
    op.create_table(
        "metadata_value",
        sa.Column(
            "asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column(
            "field_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("changed_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("reported_at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_metadata_value_asset_id")),
        sa.PrimaryKeyConstraint("asset_id", "field_id", "attribute", "source", name=op.f("pk_metadata_value")),
    )
    op.create_index(op.f("ix_metadata_value_event_id"), "metadata_value", ["event_id"], unique=False)
    op.create_table(
        "tag",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("field_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_tag_asset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tag")),
    )
    op.create_index(op.f("ix_tag_asset_id"), "tag", ["asset_id"], unique=False)
    op.create_table(
        "tag_edit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("field_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("added", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_tag_edit_asset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tag_edit")),
    )
    op.create_index(op.f("ix_tag_edit_asset_id"), "tag_edit", ["asset_id"], unique=False)
    op.create_table(
        "timeline",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_timeline_asset_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_timeline")),
    )
    op.create_index(op.f("ix_timeline_asset_id"), "timeline", ["asset_id"], unique=False)
    op.create_index(op.f("ix_timeline_event_id"), "timeline", ["event_id"], unique=False)
    op.create_table(
        "tombstone",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("name_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("asset_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("event_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("scope_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name=op.f("fk_tombstone_asset_id")),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_tombstone_event_id")),
        sa.ForeignKeyConstraint(["name_id"], ["dataset_name.id"], name=op.f("fk_tombstone_name_id")),
        sa.ForeignKeyConstraint(["scope_id"], ["scope.id"], name=op.f("fk_tombstone_scope_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tombstone")),
    )
    op.create_index(op.f("ix_tombstone_asset_id"), "tombstone", ["asset_id"], unique=False)
    op.create_index(op.f("ix_tombstone_event_id"), "tombstone", ["event_id"], unique=False)
    op.create_index(op.f("ix_tombstone_name_id"), "tombstone", ["name_id"], unique=False)
    op.create_table(
        "claim",
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("edge_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("slot", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("event_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("source_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("target_time", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("how", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["edge_id"], ["edge.id"], name=op.f("fk_claim_edge_id")),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_claim_event_id")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_claim_job_id")),
        sa.PrimaryKeyConstraint("job_id", "edge_id", "slot", name=op.f("pk_claim")),
    )
    op.create_index(op.f("ix_claim_edge_id"), "claim", ["edge_id"], unique=False)
    op.create_index(op.f("ix_claim_event_id"), "claim", ["event_id"], unique=False)
    op.create_index(op.f("ix_claim_run_id"), "claim", ["run_id"], unique=False)
    op.create_table(
        "edge_history",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("edge_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("event_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["edge_id"], ["edge.id"], name=op.f("fk_edge_history_edge_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_edge_history")),
    )
    op.create_index(op.f("ix_edge_history_edge_id"), "edge_history", ["edge_id"], unique=False)
    op.create_index(op.f("ix_edge_history_event_id"), "edge_history", ["event_id"], unique=False)
