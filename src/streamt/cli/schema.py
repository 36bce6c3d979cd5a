"""`streamt schema`: the language's own JSON Schema, for editors."""

import json

import click

from streamt.cli.options import reporting
from streamt.cli.output import Result, encode


@click.command()
@reporting
def schema() -> Result:
    """Print the JSON Schema of the project language, for editors."""
    from streamt.project.language import language_schema

    document = language_schema()
    return Result(text=(json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n",), data=encode(document))
