import pytest
import sqlglot.generators.duckdb
import sqlglot.parser
import sqlglot.tokens
from sqlglot.dialects.dialect import Dialect

from streamt.sql.pure import pure_module


def test_a_module_in_python_is_taken_as_it_is() -> None:
    # This one is in Python in every edition of sqlglot.
    assert pure_module("tokens") is sqlglot.tokens


def test_a_compiled_parser_gives_way_to_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlglot.parser, "__file__", "parser.so")
    module = pure_module("parser")
    assert module is not sqlglot.parser
    dialect, sql = Dialect.get_or_raise(None), "SELECT a FROM t"
    (tree,) = module.Parser(dialect=dialect).parse(dialect.tokenize(sql), sql)
    assert tree.sql() == sql


def test_a_compiled_generator_builds_on_the_base_that_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlglot.generator, "__file__", "generator.so")
    monkeypatch.setattr(sqlglot.generators.duckdb, "__file__", "duckdb.so")
    base = pure_module("generator")
    assert base is not sqlglot.generator
    module = pure_module("generators.duckdb", generator=base)
    assert issubclass(module.DuckDBGenerator, base.Generator)
    assert sqlglot.generator is not base


def test_without_the_source_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlglot.parser, "__file__", "parser.so")
    monkeypatch.setattr(sqlglot, "__file__", "nowhere/__init__.py")
    with pytest.raises(ImportError, match=r"install sqlglot without \[c\]"):
        pure_module("parser")
