import pytest
import sqlglot.parser
from sqlglot.dialects.dialect import Dialect

from streamt.compiler.pure import pure_parser


def test_a_parser_in_python_is_taken_as_it_is() -> None:
    assert pure_parser() is sqlglot.parser


def test_a_compiled_parser_gives_way_to_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlglot.parser, "__file__", "parser.so")
    module = pure_parser()
    assert module is not sqlglot.parser
    dialect, sql = Dialect.get_or_raise(None), "SELECT a FROM t"
    (tree,) = module.Parser(dialect=dialect).parse(dialect.tokenize(sql), sql)
    assert tree.sql() == sql


def test_without_the_source_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlglot.parser, "__file__", "parser.so")
    monkeypatch.setattr(sqlglot, "__file__", "nowhere/__init__.py")
    with pytest.raises(ImportError, match=r"install sqlglot without \[c\]"):
        pure_parser()
