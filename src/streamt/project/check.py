"""What one mapping of the language cannot tell by itself: names, references, and keys that exclude each other.

These checks look at plain data, before the models are made, so that one run reports them beside everything that a model
refuses. What is no mapping or no text here is refused there, and passed over. What needs SQL (the materialization of a
model, whether it may stand without SQL, a virtual topic without a Gateway) is the compiler's to check.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from streamt.diagnostics import Code, Diagnostic, FilePosition, ProjectPath, did_you_mean, quote
from streamt.project.kafka_config import TOPIC_CONFIGS, VENDOR_PREFIXES
from streamt.project.language import API_VERSION
from streamt.project.regex import Regex
from streamt.project.source_map import SourceMap

Raw = Mapping[str, Any]

_SAY_SOURCES_AND_MODELS = "; sources and models share one namespace"


def section(data: object, *keys: str) -> Raw:
    """Return the mapping under `keys`, or an empty one where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def entries(data: object, key: str) -> Iterator[tuple[int, Raw]]:
    """Yield the mappings of the list under `key`, each with its index."""
    items = data.get(key) if isinstance(data, dict) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield index, item


def _wrong(message: str, location: ProjectPath, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=Code.PARSE_ERROR, message=message, location=location, hint=hint)


def check_document(data: Raw, source_map: SourceMap, *, complete: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong with a merged project as a whole.

    Args:
        data: the merged project, variables replaced.
        source_map: says where the first of two equal names stands.
        complete: whether every file could be read; if not, nothing is said of names that may stand in the others.
    """
    root = ProjectPath()
    yield from _duplicate_names(data, source_map)
    for index, model in entries(data, "models"):
        yield from check_model(model, root / "models" / index)
    for index, source in entries(data, "sources"):
        yield from _event_time_twice(source, root / "sources" / index)
    for index, test in entries(data, "tests"):
        yield from _test_shape(test, root / "tests" / index)
    for index, exposure in entries(data, "exposures"):
        for key in _EXPOSURE_REFERENCES:
            yield from _reference_shapes(exposure, key, root / "exposures" / index)
    yield from _regexes(data)
    if complete:
        yield from _references(data)


def warnings(data: Raw) -> Iterator[Diagnostic]:
    """Warn of a root file that does not name its language, and of topic settings that Kafka does not have."""
    if "apiVersion" not in data:
        hint = f"add `apiVersion: {API_VERSION}`"
        message = "missing key `apiVersion`"
        yield Diagnostic(code=Code.API_VERSION_MISSING, message=message, location=ProjectPath(), hint=hint)
    for config, place in _topic_configs(data):
        for name in config:
            if name not in TOPIC_CONFIGS and not name.startswith(VENDOR_PREFIXES):
                yield Diagnostic(
                    code=Code.TOPIC_CONFIG_UNKNOWN,
                    message=f"unknown topic setting {quote(name)}",
                    location=(place / name).key(),
                    hint=did_you_mean(name, TOPIC_CONFIGS),
                )


def _topic_configs(data: Raw) -> Iterator[tuple[Raw, ProjectPath]]:
    """Yield each mapping of topic settings, with its place."""
    for default in (("defaults", "topic", "config"), ("defaults", "models", "topic", "config")):
        yield section(data, *default), ProjectPath(default)
    for index, model in entries(data, "models"):
        for own in (("topic", "config"), ("advanced", "topic", "config")):
            yield section(model, *own), ProjectPath(("models", index, *own))


def check_model(model: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    """Yield the keys of a model that do not go together."""
    yield from _feeds(model, place)
    yield from _sinks(model, place)
    yield from _topic_twice(model, place)
    yield from _gateway_twice(model, place)
    if isinstance(model.get("from"), list):
        yield from _reference_shapes(model, "from", place)
    if "params" in model and "macro" not in model:
        yield _wrong("`params` without `macro`", (place / "params").key())


def _feeds(model: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    """Check that one of `sql`, `sql_file`, `macro` and `from` feeds the model."""
    feeds = [key for key in ("sql", "sql_file", "macro", "from") if key in model]
    materialized = model.get("materialized")
    if len(feeds) > 1 and not (feeds in (["sql", "from"], ["sql_file", "from"]) and _may_be_virtual(model)):
        names = " and ".join(f"`{feed}`" for feed in feeds)
        hint = "keep one of them; only a `virtual_topic` has `from` beside `sql`"
        yield _wrong(f"{names} exclude each other", (place / feeds[1]).key(), hint)
    elif not feeds and materialized in ("flink", "sink", "virtual_topic"):
        yield _wrong(f"a `{materialized}` model needs an input", place, "add `sql`, `sql_file`, `macro` or `from`")


def _may_be_virtual(model: Raw) -> bool:
    """Report whether a model with `from` and `sql` says that it is a virtual topic, or leaves it open."""
    return model.get("materialized") in (None, "virtual_topic")


def _sinks(model: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    if "sink" in model and "connector" in model:
        message = "`sink` and `connector` are two names of one key"
        yield _wrong(message, (place / "connector").key(), _KEEP_ONE)
    for key in ("sink", "connector"):
        connector = model.get(key)
        if not isinstance(connector, dict):
            continue
        named = [name for name in ("connector", "type") if name in connector]
        if len(named) == 2:
            message = "`connector` and `type` are two names of one key"
            yield _wrong(message, (place / key / "type").key(), _KEEP_ONE)
        elif not named:
            name = "connector" if key == "sink" else "type"
            hint = f"add `{name}:` - the connector's class, or a short name of it"
            yield _wrong(f"missing key `{name}`", place / key, hint)


_KEEP_ONE = "keep one of them"


def _topic_twice(model: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    for key in section(model, "topic").keys() & section(model, "advanced", "topic").keys():
        message = f"{quote(key)} is set in `topic` and in `advanced.topic`"
        yield _wrong(message, (place / "advanced" / "topic" / key).key(), _KEEP_ONE)


def _gateway_twice(model: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    key = "virtual_topic"
    if key in section(model, "gateway") and key in section(model, "advanced", "gateway"):
        message = "`virtual_topic` is set in `gateway` and in `advanced.gateway`"
        yield _wrong(message, (place / "advanced" / "gateway" / key).key(), _KEEP_ONE)


def _event_time_twice(source: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    """Check that `event_time` and `advanced.event_time` agree where both say something."""
    for keys in ((), ("watermark",)):
        plain, advanced = section(source, "event_time", *keys), section(source, "advanced", "event_time", *keys)
        for key in plain.keys() & advanced.keys():
            if plain[key] != advanced[key] and not isinstance(plain[key], dict):
                message = f"{quote(key)} is set differently in `event_time` and in `advanced.event_time`"
                here = ProjectPath((*place.parts, "advanced", "event_time", *keys, key))
                yield _wrong(message, here.key(), _KEEP_ONE)


def _reference_shapes(owner: Raw, key: str, place: ProjectPath) -> Iterator[Diagnostic]:
    """Check that each reference of a list names one thing."""
    for index, reference in entries(owner, key):
        named = [name for name in ("ref", "source") if name in reference]
        if len(named) != 1:
            message = "`ref` and `source` in one reference" if named else "empty reference"
            hint = "write `ref: NAME` for a model or `source: NAME` for a source"
            yield _wrong(message, place / key / index, hint)


def _test_shape(test: Raw, place: ProjectPath) -> Iterator[Diagnostic]:
    if ("model" in test) == ("source" in test):
        both = "model" in test
        message = f"a test needs either `model` or `source`{', not both' if both else ''}"
        yield _wrong(message, (place / "source").key() if both else place, "name one of them")
    for index, assertion in entries(test, "assertions"):
        here = place / "assertions" / index
        if len(assertion) != 1:
            hint = "write each assertion as an item of its own, such as `- not_null: {columns: [id]}`"
            yield _wrong("an assertion must be a mapping with one key, its kind", here, hint)
        for kind, low, high in (("range", "min", "max"), ("throughput", "min_per_second", "max_per_second")):
            body = section(assertion, kind).keys()
            if body and body.isdisjoint({low, high} | _INSTEAD_OF_BOUNDS):
                yield _wrong(f"`{kind}` needs a bound", here / kind, f"add `{low}`, `{high}` or both")


# Keys of another streamt, which are told by themselves.
_INSTEAD_OF_BOUNDS = frozenset({"min_per_minute", "max_per_minute"})


def _duplicate_names(data: Raw, source_map: SourceMap) -> Iterator[Diagnostic]:
    """Check that sources and models, tests, and exposures each have names of their own."""
    repeated = [
        pair for kinds in (("sources", "models"), ("tests",), ("exposures",)) for pair in _repeated_names(data, kinds)
    ]
    found = source_map.find({before for _, before, _ in repeated})
    for place, before, name in repeated:
        message = f"duplicate name {quote(name)}; first defined at {_shown(found[before])}"
        shared = _SAY_SOURCES_AND_MODELS if place.parts[0] in ("sources", "models") else ""
        yield _wrong(message, place, f"rename one of them{shared}")


def _repeated_names(data: Raw, kinds: Iterable[str]) -> Iterator[tuple[ProjectPath, ProjectPath, str]]:
    """Yield the place of each name that was there before, that of the first, and the name."""
    first: dict[str, ProjectPath] = {}
    for kind in kinds:
        for index, entry in entries(data, kind):
            name, here = entry.get("name"), ProjectPath((kind, index, "name"))
            if isinstance(name, str) and first.setdefault(name, here) is not here:
                yield here, first[name], name


def _shown(position: FilePosition) -> str:
    return f"{position.file}:{position.line}:{position.column}"


def _regexes(data: Raw) -> Iterator[Diagnostic]:
    """Check the regular expressions of `rules`."""
    found: list[tuple[object, ProjectPath]] = []
    rules = ProjectPath(("rules",))
    if "naming_pattern" in section(data, "rules", "topics"):
        found.append((section(data, "rules", "topics")["naming_pattern"], rules / "topics" / "naming_pattern"))
    patterns = section(data, "rules", "security").get("pii_column_patterns")
    for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        found.append((pattern, rules / "security" / "pii_column_patterns" / index))
    for pattern, place in found:
        reason = Regex.reason_against(pattern) if isinstance(pattern, str) else None
        if reason is not None:
            hint = "look-around and back-references are not supported"
            yield _wrong(f"invalid regular expression: {reason}", place, hint)


# References

_EXPOSURE_REFERENCES = ("consumes", "produces", "depends_on")


def _references(data: Raw) -> Iterator[Diagnostic]:
    """Check that what tests and exposures name is declared."""
    names = {
        kind: {entry["name"]: None for _, entry in entries(data, f"{kind}s") if isinstance(entry.get("name"), str)}
        for kind in ("model", "source")
    }
    for name, kind, place in _named_by_tests(data, names["source"]):
        yield from _unknown(name, kind, place, names)
    for index, exposure in entries(data, "exposures"):
        for key in _EXPOSURE_REFERENCES:
            for at, reference in entries(exposure, key):
                place = ProjectPath(("exposures", index, key, at))
                yield from _unknown(reference.get("ref"), "model", place / "ref", names)
                yield from _unknown(reference.get("source"), "source", place / "source", names)


def _named_by_tests(data: Raw, sources: Collection[str]) -> Iterator[tuple[object, str, ProjectPath]]:
    """Yield each name that a test gives, with its kind and place."""
    for index, test in entries(data, "tests"):
        place = ProjectPath(("tests", index))
        for kind in ("model", "source"):
            yield test.get(kind), kind, place / kind
        for at, assertion in entries(test, "assertions"):
            other = section(assertion, "foreign_key").get("ref_model")
            kind = "source" if isinstance(other, str) and other in sources else "model"
            yield other, kind, place / "assertions" / at / "foreign_key" / "ref_model"


def _unknown(name: object, kind: str, place: ProjectPath, names: Mapping[str, Collection[str]]) -> Iterator[Diagnostic]:
    """Yield an error if no `kind` of that name is declared."""
    if not isinstance(name, str) or name in names[kind]:
        return
    other = "source" if kind == "model" else "model"
    is_other = name in names[other]
    hint = f"{quote(name)} is a {other}" if is_other else did_you_mean(name, sorted(names[kind]))
    message = f"unknown {kind} {quote(name)}"
    yield Diagnostic(code=Code.COMPILE_ERROR, message=message, location=place, hint=hint)
