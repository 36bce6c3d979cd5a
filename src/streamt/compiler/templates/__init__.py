"""SQL templates: Jinja's syntax, evaluated here, within a budget."""

from streamt.compiler.templates.markers import GluedError, length, readable, references_of, with_names
from streamt.compiler.templates.render import PREFIX, Reference, Rendered, parse, render
from streamt.compiler.templates.values import TemplateError

__all__ = [
    "PREFIX",
    "GluedError",
    "Reference",
    "Rendered",
    "TemplateError",
    "length",
    "parse",
    "readable",
    "references_of",
    "render",
    "with_names",
]
