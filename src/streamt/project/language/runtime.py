"""The part of the language that says where a project runs: `runtime`, `deployment_state`, an environment."""

from typing import Annotated, Literal

from pydantic import Field, Strict

from streamt.project.language.fields import (
    Boolean,
    Duration,
    NameOrNames,
    NonBlank,
    NotNull,
    SecretScalar,
    SecretText,
    Struct,
)

API_VERSION = "streamt.dev/v1alpha1"

ApiVersion = Literal["streamt.dev/v1alpha1"]


class Kafka(Struct):
    """The Kafka cluster that holds the project's topics, and how to log in to it."""

    bootstrap_servers: NameOrNames = Field(description="The brokers, as `host:port`: one text with commas, or a list.")
    cluster_id: NonBlank | None = Field(
        None, description="The cluster's own id; a deployment asks for it first, and goes no further if it differs."
    )
    bootstrap_servers_internal: Annotated[NameOrNames | None, NotNull()] = Field(
        None, description="The brokers as Flink and Connect see them, where that differs."
    )
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] | None = Field(
        None, description="How clients talk to the brokers."
    )
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"] | None = Field(
        None, description="How clients log in, with a SASL protocol."
    )
    sasl_username: SecretText | None = Field(None, description="The user that logs in.")
    sasl_password: SecretText | None = Field(None, description="The user's password; best a variable.")
    ssl_ca_location: str | None = Field(None, description="File of the certificate authorities to trust.")
    ssl_certificate_location: str | None = Field(None, description="File of the client's certificate.")
    ssl_key_location: str | None = Field(None, description="File of the client's private key.")


class SchemaRegistry(Struct):
    """The registry of the schemas of keys and values."""

    url: NameOrNames = Field(description="The registry's address, or a list of them.")
    username: SecretText | None = Field(None, description="The user that logs in.")
    password: SecretText | None = Field(None, description="The user's password; best a variable.")
    ssl_ca_location: str | None = Field(None, description="File of the certificate authorities to trust.")


class FlinkCluster(Struct):
    """One Flink cluster."""

    type: Literal["rest", "confluent", "kubernetes", "docker"] | None = Field(
        None, description="What kind of cluster it is."
    )
    rest_url: str | None = Field(None, description="Address of the cluster's REST API.")
    sql_gateway_url: str | None = Field(None, description="Address of the cluster's SQL Gateway.")
    version: str | None = Field(None, description='Version of Flink, in quotes: "1.20".')
    environment: str | None = Field(None, description="Environment of a Confluent cluster.")
    api_key: SecretText | None = Field(None, description="API key; best a variable.")
    api_secret: SecretText | None = Field(None, description="The API key's secret; best a variable.")
    savepoint_dir: str | None = Field(None, description="Where savepoints go, as Flink sees it: `s3://...`.")
    kafka_properties: Annotated[dict[str, SecretScalar], NotNull()] = Field(
        {}, description="Further properties of the Kafka clients in tables; they win over those made of `kafka`."
    )


class Flink(Struct):
    """The Flink clusters that run the project's jobs."""

    default: NonBlank | None = Field(None, description="Name of the cluster of models that name none.")
    clusters: Annotated[dict[str, FlinkCluster], NotNull()] = Field({}, description="The clusters, by name.")


class ConnectCluster(Struct):
    """One Kafka Connect cluster."""

    rest_url: NonBlank = Field(description="Address of the cluster's REST API.")
    username: SecretText | None = Field(None, description="The user that logs in.")
    password: SecretText | None = Field(None, description="The user's password; best a variable.")


class Connect(Struct):
    """The Kafka Connect clusters that run the project's sinks."""

    default: NonBlank | None = Field(None, description="Name of the cluster of sinks that name none.")
    clusters: Annotated[dict[str, ConnectCluster], NotNull()] = Field({}, description="The clusters, by name.")


class ConduktorGateway(Struct):
    """The Conduktor Gateway that shows virtual topics."""

    admin_url: str | None = Field(None, description="Address of the Gateway's admin API.")
    proxy_bootstrap: Annotated[NameOrNames | None, NotNull()] = Field(
        None, description="Where Kafka clients reach the Gateway, as `host:port`."
    )
    username: SecretText | None = Field(None, description="The user that logs in to the admin API.")
    password: SecretText | None = Field(None, description="The user's password; best a variable.")
    virtual_cluster: str | None = Field(None, description="The virtual cluster that holds the virtual topics.")


class ConduktorConsole(Struct):
    """The Conduktor Console."""

    url: str | None = Field(None, description="The Console's address.")
    api_key: SecretText | None = Field(None, description="API key; best a variable.")


class Conduktor(Struct):
    """Conduktor's Gateway and Console."""

    gateway: Annotated[ConduktorGateway | None, NotNull()] = Field(None, description="The Gateway.")
    console: Annotated[ConduktorConsole | None, NotNull()] = Field(None, description="The Console.")


class Runtime(Struct):
    """Where the project runs."""

    kafka: Annotated[Kafka | None, NotNull()] = Field(None, description="The Kafka cluster.")
    schema_registry: Annotated[SchemaRegistry | None, NotNull()] = Field(None, description="The schema registry.")
    flink: Annotated[Flink | None, NotNull()] = Field(None, description="The Flink clusters.")
    connect: Annotated[Connect | None, NotNull()] = Field(None, description="The Kafka Connect clusters.")
    conduktor: Annotated[Conduktor | None, NotNull()] = Field(None, description="Conduktor's products.")


Deployable = Literal["schema", "topic", "flink_job", "connector", "gateway_rule"]


class DeploymentState(Struct):
    """Where the record of what this project owns is kept."""

    backend: Literal["local", "postgres"] = Field("local", description="A file here, or a database.")
    url: SecretText | None = Field(None, description="The database's address, for `postgres`; best a variable.")
    namespace: NonBlank = Field("default", description="Keeps projects of one name apart in one database.")
    lock_wait: Duration | None = Field(None, description="How long to wait for another deployment: `30s` by default.")
    secret_memory: Literal["on", "off"] = Field(
        "on", description="Whether a keyed digest of each secret is kept, so that a plan can say that one changed."
    )


class Safety(Struct):
    """What a deployment to this environment asks for first."""

    confirm_apply: Boolean | None = Field(None, description="Ask before anything is changed.")
    allow_destructive: Boolean | None = Field(None, description="Allow that something is deleted.")
    require_reviewed_plan: Boolean | None = Field(None, description="Apply only a plan that was saved before.")
    plan_max_age: Duration | None = Field(None, description="How old a saved plan may be, such as `1h`.")
    require_remote_state: Boolean = Field(default=False, description="Refuse a state that only one machine sees.")
    virtual_topics_as_flink: Boolean = Field(
        default=False, description="Make a virtual topic a Flink job where the environment has no Gateway."
    )
    deletable: Annotated[tuple[Deployable, ...], Strict(strict=False), NotNull()] = Field(
        (), description="The kinds of which something may be deleted; none by default."
    )


class EnvironmentInfo(Struct):
    """What an environment is called and what it is for."""

    name: NonBlank | None = Field(None, description="The environment's name: the file's own, without `.yml`.")
    description: str | None = Field(None, description="What the environment is for.")
    protected: Boolean = Field(default=False, description="Whether a change here needs more care.")


class EnvironmentFile(Struct):
    """One file of `environments/`."""

    api_version: Annotated[ApiVersion | None, NotNull()] = Field(
        None, alias="apiVersion", description="The language's version."
    )
    environment: Annotated[EnvironmentInfo, NotNull()] = Field(
        default_factory=EnvironmentInfo, description="The environment's name and what it is for."
    )
    runtime: Annotated[Runtime | None, NotNull()] = Field(None, description="Where the project runs.")
    safety: Annotated[Safety | None, NotNull()] = Field(None, description="What a deployment asks for first.")
    deployment_state: Annotated[DeploymentState | None, NotNull()] = Field(
        None, description="Where the record of what this project owns is kept."
    )
