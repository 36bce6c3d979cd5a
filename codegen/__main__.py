"""`python -m codegen generate | check | bump`."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from codegen import tree
from codegen.changes import as_json, as_text, compare
from codegen.pins import CodegenError, load, measure
from codegen.sources import load_sources

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status; whatever is wrong is one line on stderr."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except CodegenError as error:
        print(f"codegen: {' '.join(str(error).split())}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: the one this file is in)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    generate = commands.add_parser("generate", help="write the models and the packed schemas from the pinned files")
    generate.set_defaults(run=_generate)
    check = commands.add_parser("check", help="fail if anything differs from what `generate` would write")
    check.set_defaults(run=_check)
    bump = commands.add_parser("bump", help="take the schemas of another release, and say what changes")
    bump.add_argument("--release", required=True, metavar="R", help="the release's version, such as 1.54.0")
    bump.add_argument("--from", required=True, type=Path, dest="source", metavar="DIR", help="its schema files")
    bump.add_argument("--json", action="store_true", help="say what changes in JSON")
    bump.set_defaults(run=_bump)
    return parser


def _generate(options: argparse.Namespace) -> int:
    sources = load_sources(options.root / "schemas")
    written = tree.write(options.root, tree.outputs(sources))
    print(f"OpenLineage {sources.bundle.release}: {f'{len(written)} files written' if written else 'nothing to write'}")
    return 0


def _check(options: argparse.Namespace) -> int:
    sources = load_sources(options.root / "schemas")
    differences = tree.differences(options.root, tree.outputs(sources))
    if differences:
        raise CodegenError(f"{', '.join(differences)}; run `python -m codegen generate`")
    print(f"OpenLineage {sources.bundle.release}: no drift")
    return 0


def _bump(options: argparse.Namespace) -> int:
    old = load(options.root / "schemas")
    new = measure(options.source, options.release)
    report = compare(old, new)
    tree.replace_release(options.root, old, new)
    print(json.dumps(as_json(report), indent=2) if options.json else as_text(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
