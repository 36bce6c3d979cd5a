"""What `make bench` runs: ratios within one run, never a clock against a limit."""
