"""What one mapping of the language cannot tell by itself: names, references, and keys that exclude each other.

These checks look at plain data, before the models are made, so that one run reports them beside everything that a model
refuses. What is no mapping or no text here is refused there, and passed over. What needs SQL (the materialization of a
model, whether it may stand without SQL, a virtual topic without a Gateway) is the compiler's to check.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from streamt.diagnostics import Code, did_you_mean, quote
from streamt.project.kafka_config import TOPIC_CONFIGS, VENDOR_PREFIXES
from streamt.project.language import API_VERSION
from streamt.project.problems import Problem
from streamt.project.regex import Regex
from streamt.project.source_map import SourceMap
from streamt.yaml import Path

Raw = Mapping[str, Any]


def section(data: object, *keys: str) -> Raw:
    """Give the mapping under `keys`, or an empty one where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def entries(data: object, key: str) -> Iterator[tuple[int, Raw]]:
    """Give the mappings of the list under `key`, each with its index."""
    items = data.get(key) if isinstance(data, dict) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield index, item


def check_document(data: Raw, source_map: SourceMap, *, complete: bool) -> Iterator[Problem]:
    """Find what is wrong with a merged project as a whole.

    Args:
        data: the merged project, variables replaced.
        source_map: says where the first of two equal names stands.
        complete: whether every file could be read; if not, nothing is said of names that may stand in the others.
    """
    yield from _unique_names(data, source_map)
    for index, model in entries(data, "models"):
        yield from check_model(model, ("models", index))
    for index, source in entries(data, "sources"):
        yield from _event_time_twice(source, ("sources", index))
    for index, test in entries(data, "tests"):
        yield from _test_shape(test, ("tests", index))
    for index, exposure in entries(data, "exposures"):
        for key in ("consumes", "produces", "depends_on"):
            yield from _reference_shapes(exposure, key, ("exposures", index))
    yield from _regexes(data)
    if complete:
        yield from _references(data)


def api_version_warning(data: Raw) -> Problem | None:
    """Warn of a root file that does not say which language it is written in."""
    if "apiVersion" in data:
        return None
    hint = f"add `apiVersion: {API_VERSION}`"
    return Problem(path=(), message="`apiVersion` is missing", hint=hint, code=Code.API_VERSION_MISSING)


def topic_config_warnings(data: Raw) -> Iterator[Problem]:
    """Warn of topic settings that Kafka does not have."""
    places: list[tuple[Raw, Path]] = [
        (section(data, "defaults", "topic", "config"), ("defaults", "topic", "config")),
        (section(data, "defaults", "models", "topic", "config"), ("defaults", "models", "topic", "config")),
    ]
    for index, model in entries(data, "models"):
        for keys in (("topic", "config"), ("advanced", "topic", "config")):
            path: Path = ("models", index, *keys)
            places.append((section(model, *keys), path))
    for config, path in places:
        for name in config:
            if name not in TOPIC_CONFIGS and not name.startswith(VENDOR_PREFIXES):
                yield Problem(
                    path=(*path, name),
                    message=f"Kafka has no topic setting {quote(name)}",
                    hint=did_you_mean(name, TOPIC_CONFIGS),
                    at_key=True,
                    code=Code.TOPIC_CONFIG_UNKNOWN,
                )


def check_model(model: Raw, path: Path) -> Iterator[Problem]:
    """Find the keys of a model that do not go together."""
    yield from _feeds(model, path)
    yield from _sinks(model, path)
    yield from _topic_twice(model, path)
    yield from _gateway_twice(model, path)
    if isinstance(model.get("from"), list):
        yield from _reference_shapes(model, "from", path)
    if "params" in model and "macro" not in model:
        yield Problem(path=(*path, "params"), message="`params` are for a `macro`, and there is none", at_key=True)


def _feeds(model: Raw, path: Path) -> Iterator[Problem]:
    """Check that one of `sql`, `macro` and `from` feeds the model."""
    feeds = [key for key in ("sql", "macro", "from") if key in model]
    materialized = model.get("materialized")
    if len(feeds) > 1 and not (feeds == ["sql", "from"] and _may_be_virtual(model)):
        names = " and ".join(f"`{feed}`" for feed in feeds)
        hint = "keep one of them; only a `virtual_topic` has `from` beside `sql`"
        yield Problem(path=(*path, feeds[1]), message=f"{names} feed one model", hint=hint, at_key=True)
    elif not feeds and materialized in ("flink", "sink", "virtual_topic"):
        hint = "add `sql`, `macro` or `from`"
        yield Problem(path=path, message=f"nothing feeds this model, and it is a `{materialized}`", hint=hint)


def _may_be_virtual(model: Raw) -> bool:
    """Tell whether a model with `from` and `sql` says that it is a virtual topic, or leaves it open."""
    return model.get("materialized") in (None, "virtual_topic")


def _sinks(model: Raw, path: Path) -> Iterator[Problem]:
    if "sink" in model and "connector" in model:
        message = "`sink` and `connector` are two names of one thing, and both stand here"
        yield Problem(path=(*path, "connector"), message=message, hint="keep one of them", at_key=True)
    for key in ("sink", "connector"):
        connector = model.get(key)
        if not isinstance(connector, dict):
            continue
        named = [name for name in ("connector", "type") if name in connector]
        if len(named) == 2:
            message = "`connector` and `type` are two names of one thing, and both stand here"
            yield Problem(path=(*path, key, "type"), message=message, hint="keep one of them", at_key=True)
        elif not named:
            name = "connector" if key == "sink" else "type"
            hint = f"add `{name}:` - the connector's class, or a short name of it"
            yield Problem(path=(*path, key), message=f"missing key `{name}`", hint=hint)


def _topic_twice(model: Raw, path: Path) -> Iterator[Problem]:
    for key in section(model, "topic").keys() & section(model, "advanced", "topic").keys():
        message = f"`{key}` stands in `topic` and in `advanced.topic`"
        yield Problem(path=(*path, "advanced", "topic", key), message=message, hint="keep one of them", at_key=True)


def _gateway_twice(model: Raw, path: Path) -> Iterator[Problem]:
    key = "virtual_topic"
    if key in section(model, "gateway") and key in section(model, "advanced", "gateway"):
        message = "`virtual_topic` stands in `gateway` and in `advanced.gateway`"
        yield Problem(path=(*path, "advanced", "gateway", key), message=message, hint="keep one of them", at_key=True)


def _event_time_twice(source: Raw, path: Path) -> Iterator[Problem]:
    """Check that `event_time` and `advanced.event_time` agree where both say something."""
    for keys in ((), ("watermark",)):
        plain, advanced = section(source, "event_time", *keys), section(source, "advanced", "event_time", *keys)
        for key in plain.keys() & advanced.keys():
            if plain[key] != advanced[key] and not isinstance(plain[key], dict):
                yield Problem(
                    path=(*path, "advanced", "event_time", *keys, key),
                    message=f"`{key}` stands in `event_time` and, differently, in `advanced.event_time`",
                    hint="keep one of them",
                    at_key=True,
                )


def _reference_shapes(owner: Raw, key: str, path: Path) -> Iterator[Problem]:
    """Check that each reference of a list names one thing."""
    for index, reference in entries(owner, key):
        named = [name for name in ("ref", "source") if name in reference]
        if len(named) != 1:
            message = "`ref` and `source` stand in one reference" if named else "a reference names nothing"
            hint = "write `ref: NAME` for a model or `source: NAME` for a source"
            yield Problem(path=(*path, key, index), message=message, hint=hint)


def _test_shape(test: Raw, path: Path) -> Iterator[Problem]:
    if ("model" in test) == ("source" in test):
        message = "a test is of a `model` or of a `source`, and this one names "
        message += "both" if "model" in test else "neither"
        place = (*path, "source") if "source" in test else path
        yield Problem(path=place, message=message, hint="name one of them", at_key="source" in test)
    for index, assertion in entries(test, "assertions"):
        here = (*path, "assertions", index)
        if len(assertion) != 1:
            hint = "write each assertion as an item of its own, such as `- not_null: {columns: [id]}`"
            yield Problem(path=here, message="an assertion is a mapping with one key, its kind", hint=hint)
        for kind, low, high in (("range", "min", "max"), ("throughput", "min_per_second", "max_per_second")):
            body = section(assertion, kind)
            if body and low not in body and high not in body:
                hint = f"add `{low}`, `{high}` or both"
                yield Problem(path=(*here, kind), message=f"`{kind}` has no bound, so it cannot fail", hint=hint)


def _unique_names(data: Raw, source_map: SourceMap) -> Iterator[Problem]:
    """Check that sources and models, tests, and exposures each have names of their own."""
    spaces = (("sources", "models"), ("tests",), ("exposures",))
    repeated: list[tuple[Path, Path]] = []
    for space in spaces:
        first: dict[str, Path] = {}
        for kind in space:
            for index, entry in entries(data, kind):
                name, here = entry.get("name"), (kind, index, "name")
                if isinstance(name, str) and first.setdefault(name, here) != here:
                    repeated.append((here, first[name]))
    spots = source_map.positions({before for _, before in repeated})
    for path, before in repeated:
        name = data[str(path[0])][path[1]]["name"]
        file, spot = spots[before]
        where = f"{file}, line {spot.value[0]}, column {spot.value[1]}"
        hint = "rename one of them"
        if path[0] in ("sources", "models"):
            hint += "; sources and models share one space of names"
        yield Problem(path=path, message=f"the name {quote(name)} is taken by {where}", hint=hint)


def _regexes(data: Raw) -> Iterator[Problem]:
    """Check the regular expressions of `rules`."""
    found: list[tuple[object, Path]] = []
    if "naming_pattern" in section(data, "rules", "topics"):
        found.append((section(data, "rules", "topics")["naming_pattern"], ("rules", "topics", "naming_pattern")))
    patterns = section(data, "rules", "security").get("pii_column_patterns")
    for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        found.append((pattern, ("rules", "security", "pii_column_patterns", index)))
    for pattern, path in found:
        reason = Regex.reason_against(pattern) if isinstance(pattern, str) else None
        if reason is not None:
            hint = "look-around and back-references are not supported"
            yield Problem(path=path, message=f"this is no regular expression: {reason}", hint=hint)


def _references(data: Raw) -> Iterator[Problem]:
    """Check that what tests and exposures name is declared."""
    names = {
        kind: [entry["name"] for _, entry in entries(data, kind) if isinstance(entry.get("name"), str)]
        for kind in ("models", "sources")
    }
    models, sources = names["models"], names["sources"]
    missing = _Missing({"model": set(models), "source": set(sources)})
    for index, test in entries(data, "tests"):
        for key in ("model", "source"):
            yield from missing.check(test.get(key), key, ("tests", index, key))
        for at, assertion in entries(test, "assertions"):
            other = section(assertion, "foreign_key").get("ref_model")
            if other not in missing.names["source"]:
                yield from missing.check(other, "model", ("tests", index, "assertions", at, "foreign_key", "ref_model"))
    for index, exposure in entries(data, "exposures"):
        for key in ("consumes", "produces", "depends_on"):
            for at, reference in entries(exposure, key):
                yield from missing.check(reference.get("ref"), "model", ("exposures", index, key, at, "ref"))
                yield from missing.check(reference.get("source"), "source", ("exposures", index, key, at, "source"))


class _Missing:
    """Knows the declared names."""

    def __init__(self, names: Mapping[str, set[str]]) -> None:
        self.names = names

    def check(self, name: object, kind: str, path: Path) -> Iterator[Problem]:
        """Complain if no `kind` of that name is declared."""
        if not isinstance(name, str) or name in self.names[kind]:
            return
        other = "source" if kind == "model" else "model"
        if name in self.names[other]:
            hint: str | None = f"{quote(name)} is a {other}"
        else:
            hint = did_you_mean(name, sorted(self.names[kind]))
        yield Problem(path=path, message=f"there is no {kind} {quote(name)}", hint=hint)
