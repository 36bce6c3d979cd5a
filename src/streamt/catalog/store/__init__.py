"""The store: tables, migrations, and what is read and written."""
