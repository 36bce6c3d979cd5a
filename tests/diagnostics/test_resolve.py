"""A diagnostic is made with a location and shown with a file, a line and a column."""

from collections.abc import Iterable, Mapping

from streamt.diagnostics import (
    Code,
    Diagnostic,
    FilePlace,
    FilePosition,
    Option,
    PlacedDiagnostic,
    ProjectPath,
    Variable,
    resolve,
)


class _Everything:
    """Finds every path in one file, and counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def find(self, paths: Iterable[ProjectPath]) -> Mapping[ProjectPath, FilePosition]:
        self.calls += 1
        return {path: FilePosition("stream_project.yml", 7, len(path.parts)) for path in paths}


def _at(location: ProjectPath | FilePlace | Option | Variable | None) -> Diagnostic:
    return Diagnostic(
        code=Code.PARSE_ERROR, message="unknown key `nam`", location=location, hint="did you mean `name`?"
    )


def test_a_path_is_shown_as_a_json_pointer_with_its_position() -> None:
    (shown,) = resolve([_at(ProjectPath() / "models" / 3 / "a/b")], _Everything())
    assert shown == PlacedDiagnostic(
        code=Code.PARSE_ERROR,
        message="unknown key `nam`",
        location="/models/3/a~1b",
        file="stream_project.yml",
        line=7,
        column=3,
        hint="did you mean `name`?",
    )


def test_a_place_in_a_file_needs_no_project() -> None:
    (shown,) = resolve([_at(FilePlace("models/a.yml", 2, 5, ("models",)))])
    assert (shown.file, shown.line, shown.column, shown.location) == ("models/a.yml", 2, 5, "/models")


def test_an_option_and_a_variable_are_shown_by_name_alone() -> None:
    option, variable, nowhere = resolve([_at(Option("job_namespace")), _at(Variable("OPENLINEAGE_CONFIG")), _at(None)])
    assert [each.location for each in (option, variable, nowhere)] == ["job_namespace", "OPENLINEAGE_CONFIG", ""]
    assert {each.file for each in (option, variable, nowhere)} == {None}


def test_all_paths_are_looked_up_in_one_call() -> None:
    positions = _Everything()
    resolve([_at(ProjectPath(("models", index))) for index in range(5)], positions)
    assert positions.calls == 1
