"""What `streamt test` does: it reads records, judges them, and says what it found."""
