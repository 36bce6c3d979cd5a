"""The primitive values of Avro's binary encoding, each held against the bytes that are left.

https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

import struct
from decimal import Decimal

from streamt.testing.decoding.faults import DEPTH, Kind, Undecodable

# Items that take no byte, such as those of an array of nulls, that one value may hold.
_WEIGHTLESS_ITEMS = 10_000
# The bit that says that more bytes follow.
_MORE = 0x80
# The bytes of the longest 64-bit number.
_LONGEST_NUMBER = 10
_SINGLE = struct.Struct("<f")
_DOUBLE = struct.Struct("<d")
# Below it a 32-bit float has fewer digits, down to one.
_SMALLEST_NORMAL = 2.0**-126


class Input:
    """The bytes of one value, read from the front.

    Every method raises `Undecodable` where the bytes are not what is asked for.

    Attributes:
        data: the bytes.
        at: the position of the next one.
    """

    __slots__ = ("_depth", "_items", "at", "data")

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at
        self._items = 0
        self._depth = 0

    def enter(self) -> None:
        """Open a record, an array or a map."""
        self._depth += 1
        if self._depth > DEPTH:
            raise Undecodable(Kind.TOO_DEEP)

    def leave(self) -> None:
        """Close it again."""
        self._depth -= 1

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        end = self.at + size
        if not self.at <= end <= len(self.data):
            raise Undecodable(Kind.NOT_AVRO)
        found = self.data[self.at : end]
        self.at = end
        return found

    def null(self) -> None:
        """Read nothing."""

    def boolean(self) -> bool:
        """Read a truth value."""
        byte = self.take(1)[0]
        if byte > 1:
            raise Undecodable(Kind.NOT_AVRO)
        return byte == 1

    def long(self) -> int:
        """Read a number of up to 64 bits."""
        data, start = self.data, self.at
        if start < len(data) and (byte := data[start]) < _MORE:  # most numbers are short
            self.at = start + 1
            return (byte >> 1) ^ -(byte & 1)
        number = shift = 0
        for byte in data[start : start + _LONGEST_NUMBER]:
            number |= (byte & 0x7F) << shift
            if byte < _MORE:
                if number >> 64:
                    break
                self.at = start + shift // 7 + 1
                return (number >> 1) ^ -(number & 1)
            shift += 7
        raise Undecodable(Kind.NOT_AVRO)

    def integer(self) -> int:
        """Read a number of up to 32 bits."""
        number = self.long()
        if not -(1 << 31) <= number < 1 << 31:
            raise Undecodable(Kind.NOT_AVRO)
        return number

    def single(self) -> Decimal | float:
        """Read a 32-bit float, as the shortest decimal that stands for it at that width."""
        data = self.take(4)
        number: float = _SINGLE.unpack(data)[0]
        if number - number:  # infinite, or not a number
            return number
        first = 6 if abs(number) >= _SMALLEST_NORMAL else 1
        texts = (f"{number:.{digits}g}" for digits in range(first, 9))
        return Decimal(next((text for text in texts if _is_single(text, data)), f"{number:.9g}"))

    def double(self) -> Decimal | float:
        """Read a 64-bit float, as the shortest decimal that stands for it."""
        number: float = _DOUBLE.unpack(self.take(8))[0]
        return number if number - number else Decimal(repr(number))

    def bytes(self) -> bytes:
        """Read bytes of any length."""
        return self.take(self.long())

    def text(self) -> str:
        """Read a text."""
        try:
            return self.bytes().decode()
        except UnicodeDecodeError as error:
            raise Undecodable(Kind.NOT_AVRO) from error

    def block(self) -> int:
        """Return how many items of an array or a map come next; 0 at its end."""
        count = self.long()
        if count < 0:
            count = -count
            self.long()  # the size of the block, for readers that pass over it
        self._items += count
        if self._items > len(self.data) + _WEIGHTLESS_ITEMS:
            raise Undecodable(Kind.NOT_AVRO)
        return count


def _is_single(text: str, data: bytes) -> bool:
    try:
        return _SINGLE.pack(float(text)) == data
    except OverflowError:
        return False
