# ruff: noqa: E501 - a template stands on one line
"""What Jinja's own run time makes of a template, ours makes, too."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from streamt.compiler.templates import TemplateError, render

PARAMS: dict[str, Any] = {
    "text": "abcä",
    "words": ["b", "A", "c", "a"],
    "numbers": [3, 1, 2],
    "rows": [
        {"k": "x", "n": 1, "sub": {"v": 3}},
        {"k": "Y", "n": 2, "sub": {"v": 1}},
        {"k": "x", "n": 3, "sub": {"v": 2}},
    ],
    "flags": {"b": True, "a": False},
    "none": None,
    "empty": [],
    "number": 7,
    "price": 2.5,
}


def jinja(template: str) -> str:
    """Return what Jinja makes of a template."""
    return SandboxedEnvironment(undefined=StrictUndefined).from_string(template).render(PARAMS)


TEMPLATES = [
    # loops
    "{% for w in words %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ w }}{% endfor %}",
    "{% for w in words %}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}",
    "{% for w in words %}{{ loop.cycle('x', 'y') }}{{ loop.changed(w | lower) }}{% endfor %}",
    "{% for w in words %}{{ loop.previtem | default('-') }}{{ loop.nextitem | default('-') }}{% endfor %}",
    "{% for w in words if w | lower == 'a' %}{{ w }}{{ loop.length }}{% else %}none{% endfor %}",
    "{% for w in empty %}{{ w }}{% else %}nothing{% endfor %}",
    "{% for k in flags %}{{ k }}{% endfor %}{% for c in text %}{{ c }},{% endfor %}",
    "{% for k, v in flags.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for i in range(2, 9, 3) %}{{ i }} {% endfor %}{% for i in range(0) %}x{% endfor %}",
    "{% for n in [[1, [2]], [3]] recursive %}{{ n if n is number else '(' ~ loop(n) ~ ')' }}{% endfor %}",
    # scopes
    "{% set x = 1 %}{% for i in numbers %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}",
    "{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}",
    "{% set x = 1 %}{% with x = 2, y = x %}{{ x }}{{ y }}{% endwith %}{{ x }}",
    "{% set a, b = 'xy' %}{{ b }}{{ a }}{% set (c, d) = [1, 2] %}{{ d }}",
    "{% set x %}[{{ number }}]{% endset %}{{ x }}{% set y | upper | trim %} q {% endset %}{{ y }}",
    "{% filter upper | replace('A', 'z') %}{{ text }}{% endfilter %}",
    "{% set ns = namespace(n=1, m='x') %}{% for i in numbers %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}{{ ns.m }}",
    # macros
    "{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{{ varargs | join }}{{ kwargs.z }}{% endmacro %}{{ m(1, z=9) }}{{ m(1, 3, 4, 5, z=0) }}",
    "{% macro outer() %}<{{ caller('x') }}>{% endmacro %}{% call(v) outer() %}{{ v }}{{ number }}{% endcall %}",
    "{% macro f(n) %}{{ n }}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
    "{% set x = 1 %}{% macro m() %}{{ x }}{% endmacro %}{% set x = 2 %}{{ m() }}",
    # expressions
    "{{ 7 // 2 }} {{ 7 / 2 }} {{ -7 % 3 }} {{ 2 ** 3 }} {{ 2 - 3 * 4 }} {{ (1 + 2) * 3 }} {{ +number }} {{ -price }}",
    "{{ 1 < 2 < 3 }} {{ 1 == 1.0 }} {{ 'a' < 'b' }} {{ 'b' in 'abc' }} {{ 9 not in numbers }} {{ 'a' in flags }}",
    "{{ 'x' if number else 'y' }} {{ none is none }} {{ not empty }} {{ 0 or 'z' }} {{ 1 and 'q' }} {{ 'a' 'b' }}",
    "{{ words[0] }} {{ words[-1] }} {{ text[1:3] }} {{ words[::-1] | join }} {{ rows[0]['sub'].v }} {{ rows[1].k }}",
    "{{ gone | default('d') }} {{ none | default('d', true) }} {{ rows[0].gone | d(1) }} {{ gone is undefined }}",
    "{{ {'a': 1, 2: 'b'}[2] }} {{ (1, 2)[1] }} {{ [1] + [2] == [1, 2] }} {{ dict(a=1).a }} {{ 1 ~ none ~ '' if false }}x",
    # filters
    "{{ words | sort | join(',') }} {{ words | sort(case_sensitive=true, reverse=true) | join(',') }}",
    "{{ rows | sort(attribute='sub.v') | map(attribute='n') | join(',') }} {{ words | map('upper') | join('|') }}",
    "{% for g in rows | groupby('k') %}{{ g.grouper }}{{ g.list | length }}{{ g[0] }} {% endfor %}",
    "{% for k, items in rows | groupby('k', case_sensitive=true) %}{{ k }}{{ items | map(attribute='n') | join }} {% endfor %}",
    "{{ rows | selectattr('n', 'gt', 1) | map(attribute='k') | join }} {{ rows | rejectattr('n', 'odd') | list | count }}",
    "{{ numbers | select('odd') | join }} {{ numbers | reject('in', [1, 2]) | join }} {{ ['', 'x'] | select | join }}",
    "{{ words | unique | join }} {{ numbers | max }} {{ rows | min(attribute='n') | length }} {{ words | first }}{{ words | last }}",
    "{{ ' x ' | trim }} {{ 'xxaxx' | trim('x') }} {{ 'a-b c' | title }} {{ 'ABC' | capitalize }} {{ text | reverse }}",
    "{{ '12' | int }} {{ 'x' | int(5) }} {{ '0x1f' | int(base=16) }} {{ '1.5' | float }} {{ 'x' | float(2.5) }} {{ '3.9' | int }}",
    "{{ -3 | abs }} {{ text | length }} {{ 'aaa' | replace('a', 'b', 2) }} {{ flags | dictsort | length }} {{ 5 | string }}",
    "{% for k, v in {'b': 1, 'A': 2} | dictsort(by='value', reverse=true) %}{{ k }}{{ v }}{% endfor %}{{ rows | join('-', 'k') }}",
    # tests
    "{{ 4 is divisibleby 2 }} {{ 3 is odd }} {{ 4 is even }} {{ 'a' is string }} {{ 1 is integer }} {{ 1.0 is float }}",
    "{{ true is boolean }} {{ true is true }} {{ false is false }} {{ flags is mapping }} {{ words is iterable }}",
    "{{ words is sequence }} {{ 'A' is upper }} {{ 'a' is lower }} {{ 1 is eq 1 }} {{ 1 is ne(2) }} {{ 1 is lt 2 }} {{ 2 is ge 2 }}",
    "{{ number is number }} {{ 1 is in [1, 2] }} {{ number is not none }} {{ number is defined }}",
    # methods
    "{{ text.upper() }} {{ 'a,b'.split(',')[1] }} {{ 'abc'.startswith('a') }} {{ text.find('c') }} {{ flags.get('z', 'no') }}",
    "{{ 'a b'.title() }} {{ ' x'.strip() }} {{ 'xay'.partition('a')[2] }} {{ words.index('c') }} {{ flags.keys() | list | join }}",
    # blanks and raw text
    "a {%- if true -%} b {%- endif %} c\n{% raw %}{{ x }}{% endraw %}{# gone #}\n\nd\n",
]  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_gives_what_jinja_gives(template: str) -> None:
    assert render(template, PARAMS).sql == jinja(template)


@pytest.mark.parametrize(
    "template",
    [
        "{{ gone }}", "{{ gone.part }}", "{{ rows[9] }}", "{{ rows[0].gone }}", "{% for x in gone %}{% endfor %}",
        "{% for x in 3 %}{% endfor %}", "{{ 'a' + 1 }}", "{{ 1 / 0 }}", "{{ [] < 3 }}", "{{ 3 in 3 }}", "{{ words() }}",
        "{% set a, b = [1] %}", "{{ gone | upper }}", "{{ 'x' | nofilter }}", "{{ 1 is notest }}", "{{ text[gone] }}",
        "{% set text.x = 1 %}", "{{ [] | first }}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}",
        "{{ 'a'.index('z') }}", "{{ 3 | sort }}", "{{ range() }}", "{{ range(1, 2, 0) }}", "{{ text.gone() }}", "{{ -text }}",
        "{{ words | select('no') | list }}", "{{ 'a' | replace('a') }}", "{{ loop.index }}",
    ],
)  # fmt: skip
def test_a_template_that_jinja_cannot_render_is_an_error(template: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it is called there
        jinja(template)
    with pytest.raises(TemplateError):
        render(template, PARAMS)


ATOMS = st.sampled_from(
    ["1", "2", "-3", "0", "2.5", "'a'", "'bc'", "true", "number", "text", "words", "numbers", "price"]
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "~"]),
            inner,
        ).map(lambda parts: f"({' '.join(parts)})"),
        inner.map("(not {})".format),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
        st.tuples(
            inner,
            st.sampled_from(
                ["upper", "lower", "length", "first", "last", "sort", "list", "reverse", "string", "abs", "int"]
            ),
        ).map(lambda parts: f"({parts[0]} | {parts[1]})"),
        st.tuples(inner, st.sampled_from(["string", "number", "odd", "even", "defined", "none", "iterable"])).map(
            lambda parts: f"({parts[0]} is {parts[1]})"
        ),
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_an_expression_is_true_or_false_as_in_jinja(expression: str) -> None:
    template = f"{{% if {expression} %}}yes{{% else %}}no{{% endif %}}"
    try:
        mine = render(template, PARAMS).sql
    except TemplateError:
        return  # what is no text, and what Python alone can do, is refused here
    assert mine == jinja(template)
