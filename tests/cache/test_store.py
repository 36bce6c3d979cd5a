"""What was read before is given again by its content, and whatever is wrong with the file is passed over."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from streamt.cache import Cache, store

Damage = Callable[[bytes], bytes]


def first(plain: Any) -> Any:
    """Return the one value of a list."""
    return plain[0]


class Reader:
    """Reads texts as their lengths, and counts how often."""

    def __init__(self) -> None:
        self.count = 0

    def read(self, cache: Cache, text: str) -> int:
        """Return the length, from the cache where it has it."""

        def make() -> int:
            self.count += 1
            return len(text)

        length = cache.get_or_make("length", text.encode(), make=make, dump=lambda value: [value], load=first)
        return int(length)


def kept(path: Path, *texts: str, versions: tuple[str, ...] = ("1",)) -> None:
    """Keep what `texts` are read as."""
    cache = Cache(path, versions)
    for text in texts:
        Reader().read(cache, text)
    cache.save()


def misses(path: Path, *texts: str, versions: tuple[str, ...] = ("1",)) -> int:
    """Return how many of `texts` are read anew."""
    cache, reader = Cache(path, versions), Reader()
    assert [reader.read(cache, text) for text in texts] == [len(text) for text in texts]
    return reader.count


def test_what_was_read_before_is_not_read_again(tmp_path: Path) -> None:
    kept(tmp_path / "c", "one", "three")
    assert misses(tmp_path / "c", "one", "three") == 0


def test_other_content_is_read(tmp_path: Path) -> None:
    kept(tmp_path / "c", "one")
    assert misses(tmp_path / "c", "on", "e") == 2


def test_one_content_may_be_read_as_several_things(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", ("1",))
    assert Reader().read(cache, "one") == 3
    other = cache.get_or_make("upper", b"one", make=lambda: "ONE", dump=lambda value: [value], load=first)
    assert other == "ONE"


def test_other_versions_read_anew(tmp_path: Path) -> None:
    kept(tmp_path / "c", "one", versions=("sqlglot-1", "2"))
    assert misses(tmp_path / "c", "one", versions=("sqlglot-1", "3")) == 1


def test_what_must_not_be_kept_is_not(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", ("1",))
    cache.get_or_make("secret", b"x", make=lambda: "hunter2", dump=lambda _: None, load=lambda plain: plain)
    cache.save()
    assert not (tmp_path / "c").exists()


def test_what_fails_is_not_kept(tmp_path: Path) -> None:
    def fail() -> int:
        raise ValueError("no")

    cache = Cache(tmp_path / "c", ("1",))
    with pytest.raises(ValueError, match="no"):
        cache.get_or_make("length", b"x", make=fail, dump=lambda value: value, load=lambda plain: plain)
    cache.save()
    assert not (tmp_path / "c").exists()


DAMAGES: dict[str, Damage] = {
    "empty": lambda _: b"",
    "cut in its last line": lambda content: content[:-1],
    "cut in its first line": lambda content: content[:30],
    "one bit changed": lambda content: content[:-2] + bytes([content[-2] ^ 1]) + content[-1:],
    "a line more": lambda content: content + b"\n" + b"0" * 32 + b" [7]",
    "of another format": lambda content: content.replace(b"streamt-cache-1", b"streamt-cache-0"),
    "no cache at all": lambda _: os.urandom(4096),
    "deeply nested": lambda content: content.split(b"\n")[0] + b"\n" + b"0" * 32 + b" " + b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_file_that_is_not_whole_is_passed_over(tmp_path: Path, damage: Damage) -> None:
    path = tmp_path / "c"
    kept(path, "one")
    path.write_bytes(damage(path.read_bytes()))
    assert misses(path, "one") == 1


@pytest.mark.parametrize("plain", [{}, [], None, "x", 3], ids=repr)
def test_a_value_that_cannot_be_made_again_is_read_anew(tmp_path: Path, plain: Any) -> None:
    cache = Cache(tmp_path / "c", ("1",))
    cache.get_or_make("length", b"one", make=lambda: 0, dump=lambda _: {"odd": plain}, load=lambda _: None)
    cache.save()
    assert misses(tmp_path / "c", "one") == 1


def test_a_pipe_in_the_place_of_the_file_is_waited_for_by_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "c")
    assert misses(tmp_path / "c", "one") == 1


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    kept(tmp_path / "cache" / "c", "one")
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "cache", tmp_path / "cache" / "c")]
    assert modes == [0o700, 0o600]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept(tmp_path / "file" / "c", "one")
    assert misses(tmp_path / "file" / "c", "one") == 1


def test_a_full_disk_is_no_error_and_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "c"
    kept(path, "one")
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from streamt.cache import Cache\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "cache = Cache(Path(sys.argv[1]), ('1',))\n"
        "cache.get_or_make('length', b'two', make=lambda: 3, dump=lambda v: [v], load=lambda p: p[0])\n"
        "cache.save()\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert misses(path, "one") == 0


def test_what_others_use_is_kept_until_it_is_the_greater_part(tmp_path: Path) -> None:
    path = tmp_path / "c"
    kept(path, "dev", "shared")
    kept(path, "prod", "shared")
    assert misses(path, "dev", "prod", "shared") == 0
    kept(path, "new")
    assert misses(path, "dev", "prod", "shared") == 3


def test_nothing_is_written_where_nothing_is_new(tmp_path: Path) -> None:
    path = tmp_path / "c"
    kept(path, "one", "two")
    before = path.stat().st_ino
    kept(path, "one", "two")
    kept(path, "one")
    assert path.stat().st_ino == before


def test_too_much_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_FILE_BYTES", 100)
    kept(tmp_path / "c", *map(str, range(100)))
    assert not (tmp_path / "c").exists()


def test_the_projects_that_were_read_longest_ago_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, name in enumerate(("new", "old", "oldest")):
        kept(tmp_path / f"{name}.cache", name)
        os.utime(tmp_path / f"{name}.cache", (1_000_000_000 - age, 1_000_000_000 - age))
    (tmp_path / "theirs.txt").write_text("x" * 1000)
    size = (tmp_path / "new.cache").stat().st_size
    monkeypatch.setattr(store, "MAX_FOLDER_BYTES", 3 * size + 10)
    kept(tmp_path / "now.cache", "now")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.cache", "now.cache", "old.cache", "theirs.txt"]


def test_processes_beside_each_other_leave_a_whole_file(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from streamt.cache import Cache\n"
        "for number in range(30):\n"
        "    cache = Cache(Path(sys.argv[1]), ('1',))\n"
        "    for at in range(50):\n"
        "        text = f'{sys.argv[2]} {number} {at}'\n"
        "        read = dict(make=lambda: len(text), dump=lambda v: [v], load=lambda p: p[0])\n"
        "        assert cache.get_or_make('length', text.encode(), **read) == len(text)\n"
        "    cache.save()\n"
    )
    path = tmp_path / "c"
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), str(number)]) for number in range(3)]
    assert [each.wait(120) for each in running] == [0, 0, 0]
    head, body = path.read_bytes().split(b"\n", 1)
    assert head.startswith(b"streamt-cache-1 ")
    assert all(isinstance(json.loads(line[33:])[0], int) for line in body.split(b"\n"))
    assert [each.name for each in tmp_path.iterdir()] == ["c"]
