"""Write the snapshot of every text anew: `python -m tests.messages`."""

from tests.messages.collect import messages
from tests.messages.test_messages import SNAPSHOT

SNAPSHOT.write_text("\n".join(messages()) + "\n", encoding="utf-8")
