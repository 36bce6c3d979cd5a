"""What Alembic runs: on the connection that the program gives it, in that connection's transaction."""

from alembic import context

from streamt.catalog.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=False)
context.run_migrations()
