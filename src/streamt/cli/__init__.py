"""The command line: one module per command; no rule of the domain lives here."""
