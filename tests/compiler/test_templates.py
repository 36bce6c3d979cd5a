import threading
import time

import pytest

from streamt.compiler.templates import PREFIX, Reference, TemplateError
from streamt.compiler.templates import render as rendered_of
from streamt.diagnostics import Supplied

PARAMS: dict[str, object] = {"a": "x", "columns": ["a", "b"], "items": [1, 2], "nested": {"values": 3}}
# Ninety tuples of two, each holding the one before it twice: hashing or comparing the last takes for ever.
NESTED = "{% set ns = namespace(x=(1,)) %}{% for i in range(90) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}"
DOUBLED = "".join(f"{{% set x{i + 1} %}}{{{{ x{i} }}}}{{{{ x{i} }}}}{{% endset %}}" for i in range(60))


def render(template: str, params: dict[str, object] | None = None) -> str:
    return rendered_of(template, params).sql.replace(PREFIX, "@")


def fault(template: str, params: dict[str, object] | None = None) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        rendered_of(template, params)
    return caught.value


@pytest.mark.parametrize(
    "call",
    [
        '{{source("x")}}',
        "{{ source('x') }}",
        "{{\n source (\t'x' )\n}}",
        "{{- source('x') -}}",
        '{{ source("\\x78") }}',
        "{% set s = source %}{{ s('x') }}",
        "{{ source('x') | default('y') }}",
        "{% if true %}{{ source('x') }}{% else %}{{ source('nowhere') }}{% endif %}",
        "{# {{ ref('nowhere') }} #}{{ source('x') }}",
    ],
)
def test_a_call_comes_out_as_a_marker_however_it_is_written(call: str) -> None:
    rendered = rendered_of(call)
    assert [(each.kind, each.name) for each in rendered.references] == [("source", "x")]


@pytest.mark.parametrize("template", ["{{ ref('a') }}\n{{ ref('b') }}", "{% if 1 %}\n{{ ref('b') }}{% endif %}"])
def test_a_reference_knows_its_line(template: str) -> None:
    assert ("b", 2) in {(each.name, each.line) for each in rendered_of(template).references}


@pytest.mark.parametrize("name", ["a{b", "a}}b", "{% if %}", "{# x #}", " ", "ü 中 '"])
def test_a_name_may_hold_any_text(name: str) -> None:
    assert rendered_of(f'{{{{ ref("{name}") }}}}').references == (Reference("ref", name, 1, 1),)


def test_one_name_has_one_marker_and_a_source_is_no_model() -> None:
    template = "{{ ref('a') }} {{ source('a') }} {{ ref('a') }}"
    assert render(template) == "@0x @1x @0x"


def test_a_template_is_rendered_alike_every_time() -> None:
    template = "{% for x in ['a', 'b'] %}{{ ref(x) }}{% endfor %}"
    assert rendered_of(template) == rendered_of(template)


@pytest.mark.parametrize(
    ("template", "sql"),
    [
        ("{{ params.a }} {{ a }}", "x x"),
        ("{% for c in columns %}{{ c }}{% if not loop.last %}, {% endif %}{% endfor %}", "a, b"),
        ("{{ columns | join(', ') }} {{ ','.join(columns) }}", "a, b a,b"),
        ("{{ columns | map('upper') | join('-') }} {{ columns | length }}", "A-B 2"),
        ("{{ params.items[0] }} {{ nested.values }} {{ nested['values'] }}", "1 3 3"),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(1) }}{{ m('q') }}", "<1><q>"),
        ("{% macro m() %}[{{ caller(3) }}]{% endmacro %}{% call(x) m() %}{{ x }}{% endcall %}", "[3]"),
        ("{% set ns = namespace(n=0) %}{% for i in range(3) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"),
        ("{% set x %}abc{% endset %}{{ x }}{% with y = 1 %}{{ y }}{% endwith %}", "abc1"),
        ("{{ 'a' in columns }} {{ 1 < 2 < 3 }} {{ not true }} {{ 1 if a == 'x' else 2 }}", "True True False 1"),
        ("{{ 7 % 2 }} {{ 2 ** 8 }} {{ 'ab' * 2 }} {{ 'a' + 'b' }} {{ 'a' ~ 1 }}", "1 256 abab ab a1"),
        ("{% for k, v in {'b': 2, 'a': 1} | dictsort %}{{ k }}{{ v }}{% endfor %}", "a1b2"),
        ("{{ params.gone | default('d') }} {{ gone is defined }}", "d False"),
        ("{{ a.upper() }} {{ a.replace('x', 'yy') }} {{ ' q ' | trim }}", "X yy q"),
        ("{% raw %}{{ x }}{% endraw %}{# c #}", "{{ x }}"),
    ],
)
def test_macros_can_do_what_people_write_in_them(template: str, sql: str) -> None:
    assert render(template, PARAMS) == sql


def test_params_never_hide_source_and_ref() -> None:
    assert render("{{ ref('a') }} {{ params.ref }}", {"ref": 1}) == "@0x 1"


@pytest.mark.parametrize(
    "bomb",
    [
        "{% for i in range(10**9) %}x{% endfor %}",
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{% for i in range(100000) %}{% for j in range(100000) if false %}{% endfor %}{% endfor %}",
        "{% for i in range(100000) recursive %}{{ loop(range(100000)) }}{% endfor %}",
        "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
        "{% for i in range(100000) %}" + "x" * 10_000 + "{% endfor %}",
        "{% set x0 = 'aaaaaaaa' %}" + DOUBLED,
        "{% set ns = namespace(x='aa') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x='aa') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{{ 'a' * 10**9 }}",
        "{{ 10**9 * 'a' }}",
        "{{ [1] * 10**9 }}",
        "{{ 10 ** (10**10) }}",
        "{{ 2**4000 * 2**4000 }}",
        "{% set s = 'ab' * 400000 %}{{ s.replace('a', s) }}",
        "{% set s = 'ab' * 400000 %}{{ s | replace('', s) }}",
        "{% set s = 'ab' * 400000 %}{{ s.join(['a'] * 1000) }}",
        "{% set s = 'ab' * 400000 %}{{ (['a'] * 1000) | join(s) }}",
        "{% set s = 'a' * 500000 %}{{ ([s] * 100000) | map('upper') | list | length }}",
        "{% set s = 'a' * 1000000 %}{% for i in range(100000) %}{% if 'b' in s %}{% endif %}{% endfor %}",
        NESTED + "{{ ns.x == (ns.x, 1) }}",
        NESTED + "{{ {ns.x: 1} }}",
        NESTED + "{{ [ns.x] | unique | length }}",
        NESTED + "{{ {}[ns.x] }}",
        NESTED + "{{ (1, 2).index(ns.x) }}",
        "{{ 1 " + "+ 1" * 20_000 + " }}",
    ],
)
def test_a_template_that_would_run_for_ever_ends_soon_and_leaves_nothing_running(bomb: str) -> None:
    threads, started = threading.active_count(), time.process_time()
    assert fault(bomb).message == "the template takes too long or makes too much text"
    assert time.process_time() - started < 5
    assert threading.active_count() == threads


def test_a_template_that_is_nested_too_deeply_is_an_error() -> None:
    assert fault("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}").message == "the template is nested too deeply"


@pytest.mark.parametrize(
    "template",
    [
        NESTED + "{{ ns.x | string }}",
        "{{ source | string }}",
        "{{ source(_line='s') }}",
        "{{ source('s', _line=3) }}",
        "{{ ''.__class__ }}",
        "{{ ''['__class__'] }}",
        "{{ ''|attr('__class__') }}",
        "{{ params.a.__class__ }}",
        "{{ source.__globals__ }}",
        "{{ ().__class__.__mro__ }}",
        "{% for i in [1] %}{{ loop.__init__ }}{% endfor %}",
        "{% set x = namespace() %}{{ x.__class__ }}",
        "{{ 'x'.rjust(10**9) }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ (5).to_bytes(1000000000) }}",
        "{{ 'x' | center(1000000000) }}",
        "{{ 'x' | format(1) }}",
        "{{ [1] | batch(1000000000) | list }}",
        "{{ lipsum(1000000) }}",
        "{{ params.update({'x': 1}) }}",
        "{{ columns.append(1) }}",
        "{{ dict.fromkeys([1]) }}",
        "{% include '/etc/passwd' %}",
        "{% import '/etc/passwd' as x %}",
        "{% extends '/etc/passwd' %}",
        "{% block a %}{% endblock %}",
        "{{ ref('x').word }}",
        "{{ ref('x') | upper }}",
        "{{ ref('x')[1:] }}",
        "{{ [1] }}",
        "{{ none }}",
        "{{ ref }}",
        "{{ range(3) }}",
    ],
)
def test_a_template_may_not_do_more_than_make_sql(template: str) -> None:
    assert fault(template, PARAMS).line == 1


@pytest.mark.parametrize("call", ["ref()", "ref('a', 'b')", "ref(1)", "ref(none)", "source(x='a')", "source(['a'])"])
def test_source_and_ref_take_one_name(call: str) -> None:
    found = fault(f"\n{{{{ {call} }}}}")
    kind = call.partition("(")[0]
    assert (found.message, found.line) == (f"`{kind}` takes one name", 2)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\nb\n{{ foo }}", "undefined name `foo`"),
        ("a\nb\n{% if %}", "invalid template: Expected an expression, got 'end of statement block'"),
        ("a\nb\n{{ 1 / 0 }}", "division by zero"),
        ("a\nb\n{{ 'a' + 1 }}", "a text and a number cannot be combined so"),
        ("a\nb\n{{ 'a' | nofilter }}", "unknown filter `nofilter`"),
    ],
)
def test_an_error_names_the_line(template: str, message: str) -> None:
    found = fault(template)
    assert (found.message, found.line) == (message, 3)


@pytest.mark.parametrize("template", ["{{ {}[params.x] }}", "{{ params.x.index('q') }}", "{{ {'a': 1}[params.x] }}"])
def test_no_error_shows_what_a_variable_supplied(template: str) -> None:
    supplied = Supplied("hunter22", "${PASSWORD}", whole=True)
    assert "hunter22" not in fault(template, {"x": supplied}).message
