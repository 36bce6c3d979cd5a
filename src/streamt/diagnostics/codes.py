"""The stable codes of what can be wrong."""

from enum import StrEnum


class Code(StrEnum):
    """The stable codes of errors (E) and warnings (W).

    A member is written with its code and when it is given; the table in docs/command-line.md is made from these.

    Attributes:
        meaning: when the code is given.
    """

    meaning: str

    def __new__(cls, value: str, meaning: str) -> "Code":
        """Make a member that is its code, and knows when it is given."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ends with this code; 0 for a warning."""
        if self.value.startswith("W"):
            return 0
        return {Code.USAGE_ERROR: 2, Code.OUTCOME_UNKNOWN: 4}.get(self, 1)

    USAGE_ERROR = "E500_USAGE_ERROR", "the command line is wrong: an option, or a name that the project does not have"
    PARSE_ERROR = "E501_PARSE_ERROR", "a file is not valid YAML, or not valid in the project language"
    ENV_VAR_ERROR = "E502_ENV_VAR_ERROR", "a variable is not set or malformed"
    ENVIRONMENT_ERROR = "E503_ENVIRONMENT_ERROR", "the environment is unknown or not chosen, or its file is wrong"
    OUTPUT_FAILED = "E505_OUTPUT_FAILED", "stdout, an output file or the folder of artifacts cannot be written"
    OPENLINEAGE_INVALID = (
        "E506_OPENLINEAGE_INVALID",
        "a namespace, an event, the output file or the transport of run events is wrong",
    )
    COMPILE_ERROR = (
        "E510_COMPILE_ERROR",
        "a reference, template, macro, SQL statement or materialization is wrong, or dependencies are circular",
    )
    RULE_VIOLATED = "E520_RULE_VIOLATED", "the project breaks a rule of its own"
    TEST_FAILED = "E530_TEST_FAILED", "an assertion does not hold"
    TEST_ERROR = "E531_TEST_ERROR", "a test could not run"
    PLAN_INVALID = "E540_PLAN_INVALID", "a plan file is damaged or of another format"
    PLAN_STALE = "E541_PLAN_STALE", "something changed since the plan was made"
    PLAN_BLOCKED = "E542_PLAN_BLOCKED", "the plan has a change that cannot be made"
    REVIEWED_PLAN_REQUIRED = "E543_REVIEWED_PLAN_REQUIRED", "the environment takes only a plan that was saved before"
    CONFIRMATION_REQUIRED = "E544_CONFIRMATION_REQUIRED", "the environment's name was not confirmed"
    NOT_ALLOWED = "E545_NOT_ALLOWED", "a risky change needs its `--allow`"
    OWNERSHIP_REQUIRED = "E546_OWNERSHIP_REQUIRED", "the resource exists and is not managed by this project"
    ADOPTION_REFUSED = "E547_ADOPTION_REFUSED", "a resource cannot be adopted"
    STATE_INVALID = "E550_STATE_INVALID", "the deployment state is damaged or of another format"
    STATE_UNAVAILABLE = "E551_STATE_UNAVAILABLE", "the deployment state cannot be read or written"
    STATE_LOCKED = "E552_STATE_LOCKED", "another command holds the lock of the deployment state"
    LOCK_LOST = "E553_LOCK_LOST", "the lock of the deployment state was lost on the way"
    STATE_CONFLICT = "E554_STATE_CONFLICT", "the deployment state was changed by somebody else"
    RECOVERY_REQUIRED = "E555_RECOVERY_REQUIRED", "an earlier deployment was cut short and needs `state recover`"
    OUTCOME_UNKNOWN = "E556_OUTCOME_UNKNOWN", "this deployment was cut short and needs `state recover`"
    RELEASE_FAILED = "E557_RELEASE_FAILED", "everything was committed, but the lock may remain"
    PROVIDER_UNREACHABLE = "E560_PROVIDER_UNREACHABLE", "a server cannot be reached"
    PROVIDER_REFUSED = "E561_PROVIDER_REFUSED", "a server refused a call"
    WAIT_EXPIRED = "E562_WAIT_EXPIRED", "a resource was not ready in time"
    WRONG_CLUSTER = "E563_WRONG_CLUSTER", "the cluster is not the expected one"
    CATALOG_STORE = "E570_CATALOG_STORE", "the catalog's store cannot be opened, or is of another version"
    CATALOG_REFUSED = "E571_CATALOG_REFUSED", "the catalog refused what was asked of it"
    CATALOG_UNREACHABLE = "E572_CATALOG_UNREACHABLE", "the catalog cannot be reached, or lost the connection"
    STOPPED = "E598_STOPPED", "a signal stopped the command: Ctrl-C, or another that ends a program"
    INTERNAL_ERROR = "E599_INTERNAL_ERROR", "streamt itself failed; please report it"
    API_VERSION_MISSING = "W101_API_VERSION_MISSING", "the root file has no `apiVersion`"
    TOPIC_NAME_COLLISION = (
        "W102_TOPIC_NAME_COLLISION",
        "two topics differ only in `.` and `_`, which Kafka's metrics merge",
    )
    SQL_NOT_PARSED = (
        "W103_SQL_NOT_PARSED",
        "the SQL could not be parsed; where `materialized` is absent, it is taken to be a Flink job",
    )
    TOPIC_CONFIG_UNKNOWN = "W104_TOPIC_CONFIG_UNKNOWN", "Kafka has no topic setting of that name"
    TABLE_NOT_DECLARED = "W105_TABLE_NOT_DECLARED", "a query reads a table that neither `source` nor `ref` gave"
    FILE_IGNORED = "W106_FILE_IGNORED", "a file or folder looks like a part of the project, and is not read"
    MASK_NOT_AS_DECLARED = "W107_MASK_NOT_AS_DECLARED", "a mask is applied by nobody, or hides more than was declared"
    SCHEMA_INCOMPLETE = "W110_OPENLINEAGE_SCHEMA_INCOMPLETE", "a dataset has no declared columns"
    SINK_OUTPUT_OMITTED = (
        "W111_OPENLINEAGE_SINK_OUTPUT_OMITTED",
        "the output of a sink has no dataset name that could be exported",
    )
    EMIT_FAILED = "W112_OPENLINEAGE_EMIT_FAILED", "a run event could not be delivered; the tests' result stands"
    CONSUMER = "W113_OPENLINEAGE_CONSUMER", "`--check`: a catalog refuses, ignores or loses something of the events"
    LOCAL_STATE = "W140_LOCAL_STATE", "the deployment state is a local file"
    ORPHANED = "W141_ORPHANED", "a managed resource is no longer declared"
    DRIFT = "W142_DRIFT", "a resource was changed outside of streamt"
    EVIDENCE_MISSING = "W143_EVIDENCE_MISSING", "something could not be found out while planning"
    DUPLICATES_POSSIBLE = "W144_DUPLICATES_POSSIBLE", "records may be processed twice"
    UNMANAGED_FIELDS = "W145_UNMANAGED_FIELDS", "a resource has settings that the project does not declare"
