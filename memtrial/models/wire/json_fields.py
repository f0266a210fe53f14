"""What the wire formats share: fields of parsed JSON, checked, and those kept that have no name here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from reprlib import repr
from typing import Any, TypeVar

from memtrial.models.client.content_blocks import Block, ImageBlock, OtherBlock, TextBlock, ToolResult, encode
from memtrial.models.client.types import Request

Json = dict[str, Any]
"""A parsed JSON object, as the body of a request or a reply."""
Kind = TypeVar("Kind")
MARK = "cache_control"
"""The field that marks a block for the prompt cache, in each format that has one."""
DELIVERY = frozenset(
    {
        "metadata",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "user",
    }
)
"""Fields of a request that say how it is answered, and cannot change what is answered."""


class WireFault(ValueError):
    """A body is not what its format defines, or holds something that cannot be kept whole; in one line."""


def take(body: Mapping[str, Any], name: str, kind: type[Kind], place: str) -> Kind:
    """A field that must be there, of this type; `place` is where the body stands, for the message."""
    value = body.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise WireFault(f"{place}{name}: {NAMES[kind]} is needed; got {repr(value)}")
    return value


def take_name(body: Mapping[str, Any], name: str) -> str:
    """A text that must be there and not be empty, as the name of a model."""
    if not (text := take(body, name, str, "")):
        raise WireFault(f"{name}: a name is needed; got an empty text")
    return text


def take_object(value: object, place: str) -> Json:
    """A value that must be an object."""
    if not isinstance(value, dict):
        raise WireFault(f"{place.rstrip('.')}: {NAMES[dict]} is needed; got {repr(value)}")
    return value


def take_number(body: Mapping[str, Any], name: str) -> float | None:
    """A number of a request, None where it is left out or null."""
    value = body.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise WireFault(f"{name}: a number is needed; got {repr(value)}")
    return None if value is None else float(value)


def take_limit(body: Mapping[str, Any], name: str) -> int | None:
    """A limit of tokens, None where it is left out or null."""
    if body.get(name) is None:
        return None
    limit = take(body, name, int, "")
    if limit < 1:
        raise WireFault(f"{name}: a limit of at least 1 is needed; got {limit}")
    return limit


def take_counts(usage: Mapping[str, Any], *names: str) -> tuple[int, ...]:
    """Counts of tokens of a reply; one that is left out or null is 0 from the third on."""
    counts: list[int] = []
    for number, name in enumerate(names):
        count = usage.get(name)
        if count is None and number > 1:
            count = 0
        if type(count) is not int or count < 0:
            raise WireFault(f"usage.{name}: a count of tokens is needed; got {repr(count)}")
        counts.append(count)
    return tuple(counts)


NAMES: dict[type, str] = {
    str: "a text",
    dict: "an object",
    list: "a list",
    int: "a whole number",
    bool: "true or false",
}


def pack(body: Mapping[str, Any], *known: str) -> str:
    """The fields of an object without the known ones, as JSON in order of their names; empty where there
    are none."""
    rest = {name: body[name] for name in sorted(body.keys() - known)}
    return encode(rest) if rest else ""


def unpack(text: str) -> Json:
    """The fields that were packed."""
    return json.loads(text) if text else {}


def pack_changed(body: Mapping[str, Any], canonical: Mapping[str, Any]) -> Json:
    """The fields of an object that are spelled otherwise here, or not at all."""
    return {name: value for name, value in body.items() if name not in canonical or canonical[name] != value}


def read_mark(body: Mapping[str, Any]) -> str:
    """The mark for the prompt cache as JSON; empty where there is none."""
    return encode(body[MARK]) if MARK in body else ""


def read_other(body: Mapping[str, Any]) -> OtherBlock:
    """A block that only its format knows."""
    return OtherBlock(pack(body, MARK) or "{}", read_mark(body))


def with_rest(body: Json, block: Block) -> Json:
    """A written block with its further fields and its mark."""
    if not isinstance(block, OtherBlock) and block.more:
        body |= unpack(block.more)
    if block.cache:
        body[MARK] = json.loads(block.cache)
    return body


def split_fields(body: Mapping[str, Any], *known: str) -> tuple[str, str]:
    """The further fields of a request: those that can change the answer, and those that cannot.

    A field that is null says nothing, and is one of the second kind, a known one, too.
    """
    settings: Json = {}
    delivery: Json = {}
    for name, value in body.items():
        if value is None or name in DELIVERY:
            delivery[name] = value
        elif name not in known:
            settings[name] = value
    return pack(settings), pack(delivery)


def refuse_lossy(body: Json, request: Request, written: Json) -> Request:
    """The request that was read, if it is written as it came; WireFault names the field that would change."""
    if written == body:
        return request
    changed = [name for name in {**body, **written} if body.get(name) != written.get(name)]
    place = changed[0] if changed else "a field"
    before, after = body.get(place), written.get(place)
    if isinstance(before, list) and isinstance(after, list):
        for number, pair in enumerate(zip(before, after, strict=False)):
            if pair[0] != pair[1]:
                place, before = f"{place}.{number}", pair[0]
                break
    raise WireFault(f"{place}: this cannot be carried whole: {repr(before)}")


def refuse_foreign(request: Request, wire: str, named: str) -> None:
    """Raise WireFault where a request holds what only another format has words for."""
    if request.wire in ("", wire):
        return
    if request.settings or request.delivery:
        fields = ", ".join(unpack(request.settings) | unpack(request.delivery))
        raise WireFault(f"{fields}: read as {request.wire}, which {named} has no words for")
    for number, message in enumerate(request.messages):
        for block in message.blocks:
            inner = block.content if isinstance(block, ToolResult) else None
            parts = (block, *inner) if isinstance(inner, tuple) else (block,)
            if message.more or any(isinstance(part, OtherBlock) or part.more for part in parts):
                raise WireFault(
                    f"messages.{number}: it holds fields or blocks of {request.wire},"
                    f" which {named} has no words for"
                )


def own_spelling(request: Request, wire: str) -> Request:
    """The request without spellings that are another format's."""
    if request.wire in ("", wire):
        return request
    messages = tuple(replace(message, spelling="") for message in request.messages)
    return replace(request, messages=messages, spelling="")


def is_one_text(blocks: Sequence[Block]) -> bool:
    """One text, without a mark or further fields."""
    return (
        len(blocks) == 1 and isinstance(blocks[0], TextBlock) and not blocks[0].cache and not blocks[0].more
    )


def image_of_url(url: str) -> tuple[str, str, str]:
    """Media type, base64 and address of an image's URL; a `data:` URL holds the first two."""
    head, comma, data = url.partition(";base64,")
    media_type = head.removeprefix("data:")
    if comma and media_type != head and media_type and data and ";" not in media_type:
        return media_type, data, ""
    return "", "", url


def url_of_image(image: ImageBlock) -> str:
    """The URL of an image that is no file of the provider's."""
    return image.url or f"data:{image.media_type};base64,{image.data}"
