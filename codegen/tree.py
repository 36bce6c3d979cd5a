"""Where the generated files lie in the repository, and how they are compared and written."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from codegen.bundle import resources
from codegen.generate import models, received
from codegen.pins import Bundle, CodegenError, write_pins
from codegen.sources import Sources, with_own

MODELS = PurePosixPath("src/streamt/openlineage/models.py")
RECEIVED = PurePosixPath("src/streamt/openlineage/received.py")
PACKED = PurePosixPath("src/streamt/docs/schemas")
SCHEMAS = PurePosixPath("schemas")


def outputs(sources: Sources) -> dict[PurePosixPath, bytes]:
    """Return every generated file for a verified release and our own schemas, by its path in the repository."""
    packed = {PACKED / path: content for path, content in resources(sources).items()}
    reading = {RECEIVED: received(sources).encode()} if sources.reading else {}
    return {MODELS: models(sources).encode()} | reading | packed


def differences(root: Path, wanted: Mapping[PurePosixPath, bytes]) -> list[str]:
    """Describe each generated file that is missing, changed or left over, sorted by path."""
    found = {path: _content(root / path) for path in wanted}
    missing = [f"{path} is missing" for path, content in found.items() if content is None]
    changed = [
        f"{path} is not what the schemas give"
        for path, content in found.items()
        if content is not None and content != wanted[path]
    ]
    return sorted([*missing, *changed, *(f"{path} is not generated" for path in _left_over(root, wanted))])


def write(root: Path, wanted: Mapping[PurePosixPath, bytes]) -> list[PurePosixPath]:
    """Write what differs and take away what is left over; give the paths that were written.

    Raises:
        CodegenError: a file cannot be written; then none was.
    """
    changed = {path: content for path, content in wanted.items() if _content(root / path) != content}
    _write_all(root, changed)
    _remove(root, _left_over(root, wanted))
    return sorted(changed)


def replace_release(root: Path, old: Bundle, new: Bundle) -> None:
    """Put the files of `new` in the place of those of `old`; nothing is touched before everything has been made.

    Raises:
        CodegenError: `new` cannot be generated, its folder is there already, or a file cannot be written.
    """
    folder = _upstream_folder(new)
    if new.release != old.release and (root / folder).exists():
        raise CodegenError(f"{folder} is there already; take it away first")
    upstream = {folder / name: raw for name, raw in new.raw.items()}
    write(root, outputs(with_own(new, root / SCHEMAS)) | upstream | {SCHEMAS / "pins.toml": write_pins(new).encode()})
    _remove(root, sorted({_upstream_folder(old) / name for name in old.raw} - upstream.keys()))


def _upstream_folder(bundle: Bundle) -> PurePosixPath:
    return SCHEMAS / f"openlineage-{bundle.release}"


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _left_over(root: Path, wanted: Mapping[PurePosixPath, bytes]) -> list[PurePosixPath]:
    """List the packed schemas that nothing would write."""
    found = (path for folder in ("openlineage-*", "own") for path in (root / PACKED).glob(f"{folder}/*"))
    packed = (PurePosixPath(path.relative_to(root).as_posix()) for path in found)
    return sorted(path for path in packed if path not in wanted)


def _remove(root: Path, paths: Iterable[PurePosixPath]) -> None:
    """Take the files away, and each folder that has none left."""
    for path in paths:
        (root / path).unlink()
        if not any((root / path).parent.iterdir()):
            (root / path).parent.rmdir()


def _write_all(root: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write every file beside its place first, and move them all only then."""
    staged: list[tuple[Path, Path]] = []
    try:
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            staging = target.with_name(f".{target.name}.new")
            staged.append((staging, target))
            staging.write_bytes(content)
        for staging, target in staged:
            staging.replace(target)
    except OSError as error:
        _clear(staging for staging, _ in staged)
        raise CodegenError(f"{error.filename}: {error.strerror}") from error


def _clear(staged: Iterable[Path]) -> None:
    """Take away what was staged, and the folders that were made for it."""
    for path in staged:
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):  # it holds other files
            path.parent.rmdir()
