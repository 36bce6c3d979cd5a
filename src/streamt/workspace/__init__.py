"""The application without a terminal: what commands do, before anything of it is shown."""
