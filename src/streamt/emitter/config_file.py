"""The `lineage` block in a YAML file, with the place of each of its keys."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streamt.diagnostics import Code, Diagnostic, FilePlace, StreamtError
from streamt.emitter.config import CONFIG_VARIABLE, KEY, LARGEST_FILE


def read_block(path: Path) -> tuple[Any, Mapping[str, FilePlace]]:
    """Read the block of a file; other keys of the file are its owner's, and are not looked at.

    Args:
        path: the file.

    Returns:
        The block, and where each of its keys stands.

    Raises:
        StreamtError: E506; the file cannot be read, is no YAML mapping, or has no key `lineage`.
    """
    from streamt.files import read_file
    from streamt.yaml import locate, read_yaml

    try:
        content = read_file(path, limit=LARGEST_FILE)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "not a path"
        raise _error(path, f"the file cannot be read: {reason}", f"see {CONFIG_VARIABLE} or --config") from None
    reading = read_yaml(content, path.name, code=Code.OPENLINEAGE_INVALID)
    if reading.diagnostics:
        raise StreamtError(*reading.diagnostics)
    if not isinstance(reading.data, dict) or KEY not in reading.data:
        raise _error(path, f"the file has no key `{KEY}`", f"write the settings below `{KEY}:`")
    block = reading.data[KEY]
    keys = tuple(block) if isinstance(block, dict) else ()
    positions = locate(content, [(KEY, key) for key in keys])
    places = {
        key: FilePlace(path.name, *positions[KEY, key].key, parts=(KEY, key)) for key in keys if isinstance(key, str)
    }
    return block, {"": FilePlace(path.name, parts=(KEY,)), **places}


def _error(path: Path, message: str, hint: str) -> StreamtError:
    place = FilePlace(path.name)
    return StreamtError(Diagnostic(code=Code.OPENLINEAGE_INVALID, message=message, location=place, hint=hint))
