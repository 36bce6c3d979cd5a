"""The admin client's own object: when it goes, and in whose thread."""

import gc
import weakref

from streamt.clusters.kafka_groups import KafkaGroups

NOBODY = "127.0.0.1:1"


def test_a_client_goes_with_its_last_user_and_is_not_left_to_the_garbage_collector() -> None:
    """Collected in its own thread, which an answer that nobody waits for can cause, it would abort the process."""
    gc.disable()
    try:
        groups = KafkaGroups({"bootstrap.servers": NOBODY})
        assert groups.groups(["t"], within=0.2).why
        client = weakref.ref(groups.client)
        del groups
        assert client() is None
    finally:
        gc.enable()
