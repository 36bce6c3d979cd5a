"""The part of the language that says who uses the project's topics from outside: `exposures`."""

from typing import Annotated, Literal

from pydantic import Field

from streamt.project.language.fields import Free, Name, NotNull, Struct
from streamt.project.language.sources import References


class Exposure(Struct):
    """Something outside the project that reads or writes its topics."""

    name: Name = Field(description="The exposure's name, unique among the exposures.")
    type: Literal["application", "dashboard", "ml_training", "ml_inference", "api"] = Field(
        description="What kind of thing it is."
    )
    role: str | None = Field(None, description="What it does with the records.")
    description: str | None = Field(None, description="What it is for.")
    owner: str | None = Field(None, description="The person or team that answers for it.")
    url: str | None = Field(None, description="Where it is.")
    repo: str | None = Field(None, description="Where its code is.")
    language: str | None = Field(None, description="What it is written in.")
    tool: str | None = Field(None, description="What it is made with.")
    consumes: Annotated[References, NotNull()] = Field((), description="What it reads.")
    produces: Annotated[References, NotNull()] = Field((), description="What it writes.")
    depends_on: Annotated[References, NotNull()] = Field((), description="What it needs.")
    consumer_group: str | None = Field(None, description="Its Kafka consumer group.")
    sla: Free = Field(None, description="What it is promised; carried as it is written.")
    contracts: Free = Field(None, description="Its contracts; carried as they are written.")
    access: Free = Field(None, description="Who may use it; carried as it is written.")
    freshness: Free = Field(None, description="How fresh it must be; carried as it is written.")
    schedule: Free = Field(None, description="When it runs; carried as it is written.")
