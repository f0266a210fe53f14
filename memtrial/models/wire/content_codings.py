"""A copy of a body without its content coding, of bounded size: a small body may expand to gigabytes."""

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO

LARGEST = 64 * 1024 * 1024
"""Bytes of a body that is decoded."""


class CodingFault(ValueError):
    """A body cannot be decoded: an unknown coding, damage, or too large. One line."""


def decode(body: bytes, codings: str) -> bytes:
    """The body as it was before these codings, of a header `content-encoding`; also of its beginning alone.

    Raises:
        CodingFault: it cannot be decoded.
    """
    for coding in reversed([word.strip().lower() for word in codings.split(",") if word.strip()]):
        if coding != "identity":
            if coding not in _DECODERS:
                raise CodingFault(f"content-encoding {coding[:50]!r} is not one of {', '.join(_DECODERS)}")
            body = _DECODERS[coding](body)
    return body


def encode(body: bytes, codings: str) -> bytes:
    """The body in these codings, of a header `content-encoding` that `decode` knows."""
    for coding in [word.strip().lower() for word in codings.split(",") if word.strip()]:
        if coding != "identity":
            body = _ENCODERS[coding](body)
    return body


def _gzip(body: bytes) -> bytes:
    return _inflate(body, zlib.MAX_WBITS | 32)


def _deflate(body: bytes) -> bytes:
    try:
        return _inflate(body, zlib.MAX_WBITS | 32)
    except CodingFault:
        return _inflate(body, -zlib.MAX_WBITS)  # as some servers send it, without a header


def _inflate(body: bytes, bits: int) -> bytes:
    inflater = zlib.decompressobj(bits)
    try:
        return _refuse_large(inflater.decompress(body, LARGEST + 1))
    except zlib.error as fault:
        raise CodingFault(f"damaged: {fault}") from None


def _brotli(body: bytes) -> bytes:
    import brotli

    try:
        return _refuse_large(brotli.Decompressor().process(body, output_buffer_limit=LARGEST + 1))
    except brotli.error as fault:
        raise CodingFault(f"damaged: {fault}") from None


def _zstd(body: bytes) -> bytes:
    import zstandard

    decoder = zstandard.ZstdDecompressor(max_window_size=LARGEST)
    try:
        with decoder.stream_reader(BytesIO(body), read_across_frames=True) as reader:
            return _refuse_large(reader.read(LARGEST + 1))
    except zstandard.ZstdError as fault:
        raise CodingFault(f"damaged: {fault}") from None


def _refuse_large(decoded: bytes) -> bytes:
    if len(decoded) > LARGEST:
        raise CodingFault(f"more than {LARGEST} bytes")
    return decoded


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _to_gzip(body: bytes) -> bytes:
    # no time in it: an equal body stays equal
    return gzip.compress(body, compresslevel=6, mtime=0)


def _to_brotli(body: bytes) -> bytes:
    import brotli

    return bytes(brotli.compress(body, quality=5))


def _to_zstd(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(body)


_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _to_gzip,
    "x-gzip": _to_gzip,
    "deflate": zlib.compress,
    "br": _to_brotli,
    "zstd": _to_zstd,
}
