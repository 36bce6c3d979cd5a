"""The governance rules that a project sets itself, checked against what it declares and what that compiles to."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from streamt.compiler.compile import Compilation
from streamt.compiler.model import CompiledModel
from streamt.diagnostics import Code, Diagnostic, ProjectPath, quote
from streamt.project.language import (
    Column,
    Document,
    Level,
    Model,
    Rules,
    Source,
    Struct,
    Test,
    TopicSettings,
    config_text,
)
from streamt.project.regex import Regex
from streamt.yaml import Path

_SENSITIVE = ("sensitive", "highly_sensitive")


def check_rules(document: Document, compilation: Compilation) -> tuple[Diagnostic, ...]:
    """Check the rules of a project.

    Args:
        document: what the project declares.
        compilation: what that means.

    Returns:
        One E520 for each rule that something breaks, in the order of the files.
    """
    if document.rules == Rules():
        return ()
    return (*_models(document, compilation.models), *_sources(document), *_others(document))


def _broken(rule: str, message: str, *path: str | int) -> Diagnostic:
    hint = f"the rule is `rules.{rule}`"
    return Diagnostic(code=Code.RULE_VIOLATED, message=message, location=ProjectPath(path), hint=hint)


def _models(document: Document, compiled: Iterable[CompiledModel]) -> Iterator[Diagnostic]:
    tests = _tests_by_model(document)
    for index, each in enumerate(compiled):
        model = each.declaration
        yield from _described(model, document.rules.models, "models", index)
        yield from _described_at_length(document, model, index)
        yield from _tested(document, tests.get(model.name, []), index)
        yield from _compiled(document, each, index)
        yield from _tagged(document, model, index)
        yield from _secured(document, model, index)
        if each.topic is not None and each.output is not None:
            yield from _topic(document, each.output.name, each.topic, index)


def _tests_by_model(document: Document) -> dict[str, list[Test]]:
    tests: dict[str, list[Test]] = {}
    for test in document.tests:
        if test.model is not None:
            tests.setdefault(test.model, []).append(test)
    return tests


def _described(declared: Struct, rules: Struct, kind: str, index: int) -> Iterator[Diagnostic]:
    """Check `require_description` and `require_owner` of any kind of declaration."""
    for key in ("description", "owner"):
        if getattr(rules, f"require_{key}") and not (getattr(declared, key) or "").strip():
            yield _broken(f"{kind}.require_{key}", f"missing `{key}`", kind, index)


def _described_at_length(document: Document, model: Model, index: int) -> Iterator[Diagnostic]:
    shortest = document.rules.models.min_description_length
    length = len((model.description or "").strip())
    if shortest is not None and length < shortest:
        message = f"the description has {length} characters, fewer than {shortest}"
        place = ("models", index, "description") if model.description is not None else ("models", index)
        yield _broken("models.min_description_length", message, *place)


def _tested(document: Document, tests: list[Test], index: int) -> Iterator[Diagnostic]:
    rules = document.rules.models
    if rules.require_tests and not tests:
        yield _broken("models.require_tests", "no test of this model", "models", index)
    if rules.min_tests is not None and len(tests) < rules.min_tests:
        tests_word = "test" if len(tests) == 1 else "tests"
        message = f"this model has {len(tests)} {tests_word}, fewer than {rules.min_tests}"
        yield _broken("models.min_tests", message, "models", index)
    if document.rules.tests.require_schema_tests and not any(test.type == "schema" for test in tests):
        message = "no test of this model with `type: schema`"
        yield _broken("tests.require_schema_tests", message, "models", index)


def _compiled(document: Document, compiled: CompiledModel, index: int) -> Iterator[Diagnostic]:
    rules = document.rules.models
    allowed = rules.allowed_materializations
    kind = compiled.node.materialization
    if allowed is not None and kind not in allowed:
        message = f"this model is a `{kind}`, and only {_listed(allowed)} may be"
        yield _broken("models.allowed_materializations", message, "models", index)
    for rule, limit, count, what in (
        ("max_dependencies", rules.max_dependencies, len(compiled.node.dependencies), "direct inputs"),
        ("max_sql_length", rules.max_sql_length, compiled.query.length if compiled.query else 0, "characters of SQL"),
    ):
        if limit is not None and count > limit:
            message = f"this model has {count} {what}, more than {limit}"
            yield _broken(f"models.{rule}", message, "models", index)


def _tagged(document: Document, model: Model, index: int) -> Iterator[Diagnostic]:
    rules = document.rules.models
    for tag in rules.required_tags:
        if tag not in model.tags:
            yield _broken("models.required_tags", f"missing tag {quote(tag)}", "models", index)
    for at, tag in enumerate(model.tags):
        if rules.allowed_tags is not None and tag not in rules.allowed_tags:
            message = f"tag {quote(tag)} is not one of {_listed(rules.allowed_tags)}"
            yield _broken("models.allowed_tags", message, "models", index, "tags", at)


def _topic(document: Document, name: str, settings: TopicSettings, index: int) -> Iterator[Diagnostic]:
    """Check the rules of topics for the topic that a model makes."""
    rules = document.rules.topics
    for key in ("partitions", "replication_factor"):
        value = getattr(settings, key)
        low, high = getattr(rules, f"min_{key}"), getattr(rules, f"max_{key}")
        if low is not None and value < low:
            yield _broken(f"topics.min_{key}", f"`{key}` of the topic is {value}, below {low}", "models", index)
        if high is not None and value > high:
            yield _broken(f"topics.max_{key}", f"`{key}` of the topic is {value}, above {high}", "models", index)
    yield from _topic_name(document, name, index)
    yield from _topic_config(document, settings.config, index)


def _topic_name(document: Document, name: str, index: int) -> Iterator[Diagnostic]:
    rules = document.rules.topics
    pattern = rules.naming_pattern
    if pattern is not None and not Regex.whole(pattern).matches(name):
        message = f"topic name {quote(name)} does not match {quote(pattern)}"
        yield _broken("topics.naming_pattern", message, "models", index)
    for prefix in rules.forbidden_prefixes:
        if name.startswith(prefix):
            message = f"topic name {quote(name)} begins with {quote(prefix)}"
            yield _broken("topics.forbidden_prefixes", message, "models", index)
    for suffix in rules.forbidden_suffixes:
        if name.endswith(suffix):
            message = f"topic name {quote(name)} ends with {quote(suffix)}"
            yield _broken("topics.forbidden_suffixes", message, "models", index)


def _topic_config(document: Document, config: Mapping[str, str], index: int) -> Iterator[Diagnostic]:
    required = document.rules.topics.required_config
    for key in required:
        wanted = config_text(required[key]) if isinstance(required, dict) else None
        if key not in config:
            message = f"missing topic setting `{key}`"
        elif wanted is not None and config[key] != wanted:
            message = f"topic setting `{key}` is not {quote(wanted)}"
        else:
            continue
        yield _broken("topics.required_config", message, "models", index)


def _secured(document: Document, model: Model, index: int) -> Iterator[Diagnostic]:
    """Check the rules of security for a model's columns."""
    columns, place = model.selected_columns
    levels = dict(model.security.classification) if model.security else {}
    where: Path = ("models", index, *place)
    yield from _classified(document, columns, levels, where)
    if not document.rules.security.sensitive_columns_require_masking:
        return
    masked = {policy.mask.column for policy in model.security.policies} if model.security else set()
    declared = {column.name: column.classification for column in columns if column.classification}
    for name, level in (declared | levels).items():
        if level in _SENSITIVE and name not in masked:
            message = f"column {quote(name)} is `{level}`, but no policy masks it"
            yield _broken("security.sensitive_columns_require_masking", message, "models", index)


def _classified(
    document: Document, columns: Collection[Column], levels: Mapping[str, Level], where: Path
) -> Iterator[Diagnostic]:
    """Check the classification of declared columns."""
    rules = document.rules.security
    if not rules.require_classification and rules.allowed_classifications is None and not rules.pii_column_patterns:
        return
    patterns = [Regex(f"(?i){pattern}") for pattern in rules.pii_column_patterns]
    for at, column in enumerate(columns):
        level = levels.get(column.name, column.classification)
        allowed = rules.allowed_classifications
        if level is None and rules.require_classification:
            message = f"column {quote(column.name)} has no `classification`"
            yield _broken("security.require_classification", message, *where, at)
        if level is not None and allowed is not None and level not in allowed:
            message = f"classification `{level}` is not one of {_listed(allowed)}"
            yield _broken("security.allowed_classifications", message, *where, at)
        if level not in _SENSITIVE and any(pattern.matches(column.name) for pattern in patterns):
            message = f"column {quote(column.name)} looks personal, but is not classified `sensitive` or higher"
            yield _broken("security.pii_column_patterns", message, *where, at)


def _sources(document: Document) -> Iterator[Diagnostic]:
    rules = document.rules.sources
    for index, source in enumerate(document.sources):
        yield from _described(source, rules, "sources", index)
        for key, there in _parts_of(source).items():
            if getattr(rules, f"require_{key}") and not there:
                yield _broken(f"sources.require_{key}", f"missing `{key}`", "sources", index)
        yield from _classified(document, source.columns, {}, ("sources", index, "columns"))


def _parts_of(source: Source) -> dict[str, bool]:
    return {
        "schema": source.schema_ is not None,
        "columns": bool(source.columns),
        "freshness": source.freshness is not None,
    }


def _others(document: Document) -> Iterator[Diagnostic]:
    """Check the rules of exposures and of tests."""
    for index, exposure in enumerate(document.exposures):
        yield from _described(exposure, document.rules.exposures, "exposures", index)
        if document.rules.exposures.require_sla and not exposure.sla:
            yield _broken("exposures.require_sla", "missing `sla`", "exposures", index)
    fewest = document.rules.tests.min_assertions_per_test
    for index, test in enumerate(document.tests):
        if fewest is not None and len(test.assertions) < fewest:
            message = f"this test has {len(test.assertions)} assertions, fewer than {fewest}"
            yield _broken("tests.min_assertions_per_test", message, "tests", index)


def _listed(words: Collection[str]) -> str:
    return ", ".join(quote(word) for word in words) or "nothing"
