"""Write the snapshots of every text, and of how they are shown, anew: `python -m tests.messages`."""

from tests.messages.collect import messages
from tests.messages.shown import shown
from tests.messages.test_messages import SHOWN, SNAPSHOT

SNAPSHOT.write_text("\n".join(messages()) + "\n", encoding="utf-8")
SHOWN.write_text("\n".join(shown()) + "\n", encoding="utf-8")
