"""What known consumers refuse, ignore or lose of our events, and the form in which they take them.

The specification fixes the form of our events, so nothing here changes one unless somebody asks for it.
"""

from streamt.openlineage.consumers.check import Finding, check_events, check_line
from streamt.openlineage.consumers.forms import Form, in_order
from streamt.openlineage.consumers.rules import CONSUMERS, Change, Consumer, Verdict

__all__ = [
    "CONSUMERS",
    "Change",
    "Consumer",
    "Finding",
    "Form",
    "Verdict",
    "check_events",
    "check_line",
    "in_order",
]
