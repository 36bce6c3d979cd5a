"""Flink's SQL as a dialect of sqlglot: what Flink users write and no dialect of sqlglot reads.

Importing this module registers the dialect under the name `flink`. The grammar that it follows is Flink's own:
https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/overview/

What cannot be said in another database anyway (MATCH_RECOGNIZE, a `TABLE` argument with its partitions) is read over
and kept as text: the tree is there to be asked what a query does, and to be written for DuckDB where DuckDB can do it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp, tokens
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from streamt.sql.lexer import position
from streamt.sql.pure import pure_module
from streamt.sql.types import FlinkType, InvalidTypeError, read_type
from streamt.sql.words import words

if TYPE_CHECKING:
    from sqlglot import parser
else:
    parser = pure_module("parser")

# Flink's built-in aggregates, with those that only stand before OVER.
# https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/functions/systemfunctions/#aggregate-functions
AGGREGATES = words(
    """
    APPROX_COUNT_DISTINCT ARRAY_AGG AVG BITMAP_AND_AGG BITMAP_BUILD_AGG BITMAP_OR_AGG BITMAP_XOR_AGG COLLECT COUNT
    CUME_DIST DENSE_RANK FIRST_VALUE GROUPING GROUPING_ID GROUP_ID JSON_ARRAYAGG JSON_OBJECTAGG LAG LAST_VALUE LEAD
    LISTAGG MAX MIN NTILE PERCENTILE PERCENT_RANK RANK ROW_NUMBER SINGLE_VALUE STDDEV STDDEV_POP STDDEV_SAMP SUM SUM0
    VARIANCE VAR_POP VAR_SAMP
    """
)

_JSON_CALLS = ("JSON_ARRAY", "JSON_ARRAYAGG", "JSON_EXISTS", "JSON_QUERY", "JSON_VALUE")
_DEPTH = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}


def _is_structural(name: str) -> bool:
    """Report whether a function is one that a tree must have as what it is: an aggregate of Flink's, and UNNEST.

    All others stay as they are written: their namesakes in sqlglot have other arguments, or another meaning.
    """
    return name == "UNNEST" or name in AGGREGATES


def _is_foreign_aggregate(name: str) -> bool:
    """Tell an aggregate of other databases: in Flink a function of that name is the user's own."""
    known = exp.GroupConcat if name == "STRING_AGG" else exp.FUNCTION_BY_NAME.get(name, exp.Func)
    return issubclass(known, exp.AggFunc) and name not in AGGREGATES


class StoppedError(ParseError):
    """The parser met what it cannot read.

    Attributes:
        start: how many characters stand before that; None at the end of the text.
        text: what it met.
    """

    def __init__(self, message: str, sql: str, token: Any) -> None:
        line, column = position(sql, token.start if token else len(sql))
        super().__init__(f"{message}. Line {line}, Col: {column}.")
        self.start: int | None = token.start if token else None
        self.text = sql[token.start : token.end + 1] if token else ""


class FlinkParser(parser.Parser):
    """Reads Flink's table functions, their arguments, its types, its JSON clauses and MATCH_RECOGNIZE."""

    SUPPORTS_TABLE_QUERY = True

    FUNC_TOKENS = parser.Parser.FUNC_TOKENS | {TokenType.SESSION}

    FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {
        name: build for name, build in parser.Parser.FUNCTIONS.items() if _is_structural(name)
    }

    FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
        **{name: p for name, p in parser.Parser.FUNCTION_PARSERS.items() if not _is_foreign_aggregate(name)},
        **{name: (lambda self, name=name: self.parse_json_call(name)) for name in _JSON_CALLS},
    }

    NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, Any]] = {
        **parser.Parser.NO_PAREN_FUNCTIONS,
        TokenType.LOCALTIME: exp.Localtime,
        TokenType.LOCALTIMESTAMP: exp.Localtimestamp,
    }

    def raise_error(self, message: str, token: Any = None) -> Any:
        """Stop, and say where."""
        raise StoppedError(message, self.sql, token or self._curr)

    def validate_expression(self, expression: Any, args: Any = None) -> Any:
        """Let a function have the arguments it was given: Flink's functions differ from their namesakes."""
        return expression if isinstance(expression, exp.Func) else super().validate_expression(expression, args)

    # Arguments of table functions

    def _parse_lambda(self, alias: bool = False) -> Any:  # noqa: FBT001, FBT002 - sqlglot's signature
        if self._next and self._next.token_type == TokenType.FARROW:
            name = self._curr.text
            self._advance(2)
            return self.expression(exp.Kwarg(this=exp.var(name), expression=self._parse_lambda(alias)))
        if self._curr and self._curr.token_type == TokenType.TABLE:
            return self._parse_table_argument()
        if self._is_model_argument():
            self._advance()
            return self.expression(exp.Anonymous(this="MODEL", expressions=[self._parse_table_parts()]))
        return super()._parse_lambda(alias=alias)

    def _is_model_argument(self) -> bool:
        names = (TokenType.VAR, TokenType.IDENTIFIER)
        return bool(
            self._curr
            and self._curr.token_type == TokenType.VAR
            and self._curr.text.upper() == "MODEL"
            and self._next
            and self._next.token_type in names
        )

    def _parse_table_argument(self) -> Any:
        """Read `TABLE t [PARTITION BY a | (a, b)] [ORDER BY c]` or `TABLE (query)`."""
        self._advance()
        table = self._parse_wrapped(self._parse_select) if self._at(TokenType.L_PAREN) else self._parse_table_parts()
        partitions = self._parse_table_partitions()
        order = self._parse_order()
        clauses = [clause for clause in (*partitions, order) if clause]
        return self.expression(exp.Anonymous(this="TABLE", expressions=[table, *clauses]))

    def _parse_table_partitions(self) -> list[Any]:
        if not self._match(TokenType.PARTITION_BY):
            return []
        if self._at(TokenType.L_PAREN):
            return self._parse_wrapped_csv(self._parse_column)
        # Without parentheses there is one column: the next comma begins the next argument.
        return [self._parse_column()]

    def _parse_bracket(self, this: Any = None) -> Any:
        """Note that `a[1]` is the first element; a dialect's INDEX_OFFSET moves only indexes whose type is known."""
        found = super()._parse_bracket(this)
        for each in (this, found):
            if isinstance(each, exp.Bracket):
                each.set("offset", 1)
        return found

    # Clauses that are read over

    def parse_json_call(self, name: str) -> Any:
        """Read a JSON function; its `RETURNING`, `ON EMPTY`, `ON ERROR` and `WRAPPER` clauses change no lineage."""
        arguments, has_clauses = [], False
        while self._curr and not self._at(TokenType.R_PAREN):
            arguments.append(self._parse_bitwise())
            has_clauses |= not self._at(TokenType.COMMA) and not self._at(TokenType.R_PAREN)
            self._skip_to(TokenType.COMMA, TokenType.R_PAREN)
            if not self._match(TokenType.COMMA):
                break
        is_value = name == "JSON_VALUE" and len(arguments) == 2
        call = (
            self.expression(exp.JSONValue(this=arguments[0], path=arguments[1]))
            if is_value
            else self.expression(exp.Anonymous(this=name, expressions=[each for each in arguments if each]))
        )
        if has_clauses:
            call.meta["skipped_clauses_of"] = name
        return call

    def _parse_match_recognize(self) -> Any:
        if not self._match(TokenType.MATCH_RECOGNIZE):
            return None
        self._match_l_paren()
        start = self._curr
        self._skip_to(TokenType.R_PAREN)
        body = self._find_sql(start, self._prev)
        self._match_r_paren()
        return self.expression(exp.MatchRecognize(pattern=exp.var(body), alias=self._parse_table_alias()))

    def _skip_to(self, *ends: TokenType) -> None:
        """Advance to the first of `ends` that stands outside parentheses opened on the way."""
        depth = 0
        while self._curr and not (depth == 0 and self._curr.token_type in ends):
            depth += _DEPTH.get(self._curr.token_type, 0)
            self._advance()

    def _at(self, token_type: TokenType) -> bool:
        return bool(self._match(token_type, advance=False))

    # Types

    def _parse_types(
        self,
        check_func: bool = False,  # noqa: FBT001, FBT002 - sqlglot's signature
        schema: bool = False,  # noqa: FBT001, FBT002 - sqlglot's signature
        allow_identifiers: bool = True,  # noqa: FBT001, FBT002 - the same
        with_collation: bool = False,  # noqa: FBT001, FBT002 - the same
    ) -> Any:
        """Read a type; in a cast, where sqlglot asks for a collation too, as Flink reads it."""
        if not with_collation or not self._curr:
            return super()._parse_types(check_func, schema, allow_identifiers, with_collation)
        start = self._curr.start
        try:
            found, end = read_type(self.sql, start)
        except InvalidTypeError as error:
            return self.raise_error(str(error))
        while self._curr and self._curr.start < end:
            self._advance()
        return _data_type(found)


_NAMED_OTHERWISE = {
    "VARBINARY": exp.DType.VARBINARY,
    "TIMESTAMP_LTZ": exp.DType.TIMESTAMPLTZ,
    "ROW": exp.DType.STRUCT,
    "STRUCTURED": exp.DType.STRUCT,
    "RAW": exp.DType.OBJECT,
}


def _data_type(flink: FlinkType) -> exp.DataType:
    """Return a type as sqlglot knows it."""
    if flink.name.startswith("INTERVAL "):
        return exp.DataType(this=exp.Interval(unit=exp.var(flink.name.removeprefix("INTERVAL "))))
    if flink.name == "MULTISET":
        # Flink itself describes a multiset as a map from each element to its number.
        counted = [_data_type(flink.items[0]), exp.DataType.build("INT")]
        return exp.DataType(this=exp.DType.MAP, expressions=counted, nested=True)
    if flink.name == "VARCHAR" and not flink.sizes:
        return exp.DataType(this=exp.DType.TEXT)
    inner: list[exp.Expr] = [_data_type(item) for item in flink.items]
    if flink.fields:
        names = map(exp.to_identifier, flink.fields)
        inner = [exp.ColumnDef(this=name, kind=kind) for name, kind in zip(names, inner, strict=True)]
    sizes = [exp.DataTypeParam(this=exp.Literal.number(size)) for size in flink.sizes]
    kind = _NAMED_OTHERWISE.get(flink.name) or exp.DType(flink.name)
    return exp.DataType(this=kind, expressions=[*sizes, *inner], nested=bool(inner))


class Flink(Dialect):
    """Flink SQL."""

    # `'C:\'` is a whole string in Flink, and a JSON path that sqlglot does not know is still the user's.
    STRICT_JSON_PATH_SYNTAX = False
    # NULL comes before every value.
    NULL_ORDERING = "nulls_are_small"

    class Tokenizer(tokens.Tokenizer):
        """Backticks around names, `''` as the only escape, `--`, `//` and `/* */`, which do not nest."""

        IDENTIFIERS: ClassVar[Any] = ["`", '"']
        COMMENTS: ClassVar[Any] = ["--", "//", ("/*", "*/")]
        NESTED_COMMENTS = False
        UNICODE_STRINGS: ClassVar[Any] = [(prefix + "'", "'") for prefix in ("U&", "u&")]
        HEX_STRINGS: ClassVar[Any] = [(prefix + "'", "'") for prefix in ("X", "x")]

        KEYWORDS: ClassVar[Any] = {
            **tokens.Tokenizer.KEYWORDS,
            "_UTF8": TokenType.INTRODUCER,
            "BYTES": TokenType.VARBINARY,
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
        }

    Parser = FlinkParser
