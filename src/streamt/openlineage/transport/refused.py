"""What OpenLineage's own client also knows, and we refuse: for each name, what to do instead."""

from collections.abc import Mapping
from types import MappingProxyType

_ONE_RETRY = "leave it out: `retry.total` (0 or 1) is all that can be set; 429 and 5xx alone are tried again"
_OWN_CA = "leave it out: to trust a CA of your own, set SSL_CERT_FILE to its PEM file"
_ONLY_EVENTS = "leave it out: an event is delivered byte for byte as it was validated"
_ONE_TRANSPORT = "leave it out: there is one transport; its `type` is `file` or `http`"
_LOCAL_FILE = "leave it out: `log_file_path` is a local path"
_KAFKA_KEY = "leave it out, and send to an HTTP endpoint: `type: http`, `url`, `endpoint`"
_API_KEY = "write `auth: {type: api_key, apiKey: ...}` with a token that lives long enough"

REFUSED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "": {
            "facets": _ONLY_EVENTS,
            "filters": "leave it out: without --emit-openlineage nothing is sent",
            "tags": _ONLY_EVENTS,
            "dataset": "leave it out: dataset names are sent as `streamt docs openlineage` shows them",
        },
        "transport": {
            "custom_headers": "leave it out: to authenticate, write `auth: {type: api_key, apiKey: ...}`",
            "ssl_context": _OWN_CA,
            "session": "leave it out: it is an object of the official Python client",
            "adapter": "leave it out: it is an object of the official Python client",
            "name": _ONE_TRANSPORT,
            "priority": _ONE_TRANSPORT,
            "transports": _ONE_TRANSPORT,
            "transport": _ONE_TRANSPORT,
            "continue_on_failure": "leave it out: a failed delivery never stops a run",
            "continue_on_success": _ONE_TRANSPORT,
            "sort_transports": _ONE_TRANSPORT,
            "transformer_class": _ONLY_EVENTS,
            "transformer_properties": _ONLY_EVENTS,
            "storage_options": _LOCAL_FILE,
            "filesystem": _LOCAL_FILE,
            "fs_kwargs": _LOCAL_FILE,
            "debug_mode": "leave it out: each event is one line of JSON",
            "topic": _KAFKA_KEY,
            "config": _KAFKA_KEY,
            "message_key": _KAFKA_KEY,
            "flush": _KAFKA_KEY,
            "max_queue_size": "leave it out: each event is sent when it happens",
            "max_concurrent_requests": "leave it out: each event is sent when it happens",
        },
        "retry": {
            "read": _ONE_RETRY,
            "connect": _ONE_RETRY,
            "redirect": _ONE_RETRY,
            "status": _ONE_RETRY,
            "other": _ONE_RETRY,
            "backoff_factor": _ONE_RETRY,
            "status_forcelist": _ONE_RETRY,
            "allowed_methods": _ONE_RETRY,
        },
        "auth": dict.fromkeys(
            (
                "token_endpoint",
                "token_fields",
                "expires_in_field",
                "token_refresh_buffer",
                "grant_type",
                "response_type",
                "client_id",
                "client_secret",
                "client_auth_method",
                "scope",
            ),
            _API_KEY,
        ),
    }
)
"""What the official client also takes in each group, with what to write instead."""

_USE_FILE = "write `type: file` with `log_file_path`; stdout belongs to the command's own result"
_USE_HTTP = "write `type: http` with the `url` and `endpoint` of a backend"

REFUSED_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "console": _USE_FILE,
        "noop": "leave out --emit-openlineage to send nothing",
        "kafka": _USE_HTTP,
        "msk-iam": _USE_HTTP,
        "composite": "write one transport, `type: http` or `type: file`",
        "async_http": "write `type: http`: each event is sent when it happens",
        "transform": "write `type: http`: an event is delivered byte for byte as it was validated",
        "amazon_datazone_api": _USE_HTTP,
        "datadog": _USE_HTTP,
        "gcplineage": _USE_HTTP,
        "gcs": "write `type: file` with a local `log_file_path`, and copy the file",
        "s3": "write `type: file` with a local `log_file_path`, and copy the file",
    }
)

REFUSED_AUTH_TYPES = ("jwt", "oauth2")

REFUSED_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "OPENLINEAGE_URL": "write OPENLINEAGE__TRANSPORT__TYPE=http, OPENLINEAGE__TRANSPORT__URL=... and "
        "OPENLINEAGE__TRANSPORT__ENDPOINT=... instead",
        "OPENLINEAGE_ENDPOINT": "write OPENLINEAGE__TRANSPORT__ENDPOINT=... instead",
        "OPENLINEAGE_API_KEY": (
            "write OPENLINEAGE__TRANSPORT__AUTH__TYPE=api_key and OPENLINEAGE__TRANSPORT__AUTH__API_KEY=... instead"
        ),
        "OPENLINEAGE_CLIENT_LOGGING": "unset it: it is for the official client, which streamt does not run",
    }
)
