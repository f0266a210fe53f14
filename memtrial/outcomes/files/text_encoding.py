"""How the text of a table is encoded: UTF-8, or UTF-16 where a mark at its beginning says so."""

import codecs

_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of(head: bytes) -> str:
    """The codec of a file, by its first bytes; Excel writes UTF-16 as "Unicode text"."""
    return "utf-16" if head.startswith(_MARKS) and not head.startswith(codecs.BOM_UTF32_LE) else "utf-8-sig"
