"""Thrift's compact encoding, in which a Parquet file says what it holds.

Source: thrift, doc/specs/thrift-compact-protocol.md.
"""

from dataclasses import dataclass

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_DEEPEST = 16
Value = object
Struct = dict[int, Value]
"""Values by the number of their field."""


class EncodingFault(ValueError):
    """The bytes are no such encoding, or end too early."""


@dataclass(slots=True)
class Reader:
    """Reads structs from `held`, from `place` on; every value takes at least one byte, so time is linear."""

    held: bytes
    place: int = 0

    def struct(self, depth: int = 0) -> Struct:
        """The fields of a struct; an EncodingFault where it is none."""
        if depth > _DEEPEST:
            raise EncodingFault("its description is nested too deeply")
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Value:
        if kind in (_TRUE, _FALSE):
            return self._byte() == _TRUE
        if kind == _BYTE:
            return self._byte()
        if _BYTE < kind < _DOUBLE:
            return self._whole()
        if kind in (_DOUBLE, _BINARY):
            return self._bytes(8 if kind == _DOUBLE else self._natural())
        if kind in (_LIST, _SET):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._natural()
            return [self._value(head & 15, depth + 1) for _ in range(self._room(size))]
        if kind == _MAP:
            size = self._room(self._natural())
            kinds = self._byte() if size else 0
            return [
                (self._value(kinds >> 4, depth + 1), self._value(kinds & 15, depth + 1)) for _ in range(size)
            ]
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise EncodingFault(f"its description holds a value of kind {kind}")

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, size: int) -> bytes:
        self._room(size)
        start, self.place = self.place, self.place + size
        return self.held[start : self.place]

    def _room(self, size: int) -> int:
        if size > len(self.held) - self.place:
            raise EncodingFault("its description names more than there is")
        return size

    def _natural(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise EncodingFault("its description holds a number without an end")

    def _whole(self) -> int:
        number = self._natural()
        return (number >> 1) ^ -(number & 1)
