"""Macros: each must be a template that can be read, also one that no model uses."""

from collections.abc import Iterator

from streamt.compiler.templates import TemplateError, parse
from streamt.diagnostics import Code, Diagnostic, FilePlace, quote
from streamt.project import Project


def check_macros(project: Project) -> Iterator[Diagnostic]:
    """Find macros that Jinja cannot read; those that a model uses are told with the model."""
    used = {model.macro for model in project.document.models}
    for name, macro in project.macros.items():
        if name in used:
            continue
        try:
            parse(macro.text)
        except TemplateError as error:
            yield Diagnostic(
                code=Code.COMPILE_ERROR,
                message=f"macro {quote(name)}: {error.message}",
                location=FilePlace(macro.path, error.line),
                hint=error.hint,
            )
