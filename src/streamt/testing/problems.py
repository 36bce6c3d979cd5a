"""How a test says that it cannot run."""

from streamt.diagnostics import Code, Diagnostic, ProjectPath, StreamtError


def cannot_run(message: str, location: ProjectPath, hint: str | None = None) -> StreamtError:
    """Make the error of a test that cannot run: E531.

    Args:
        message: what is wrong.
        location: the test, or a place within it.
        hint: what to do next.
    """
    return StreamtError(Diagnostic(code=Code.TEST_ERROR, message=message, location=location, hint=hint))
