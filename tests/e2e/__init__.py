"""What needs servers: a Kafka broker, a schema registry, Flink's REST API."""
