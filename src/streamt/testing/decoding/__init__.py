"""What the bytes of a record say: JSON, Avro, JSON Schema, and why a value cannot be decoded."""
