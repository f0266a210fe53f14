"""What a request asks for and what its reply used, from copies of their bytes."""

from dataclasses import dataclass

from pydantic_core import from_json

from memtrial.models.client.prices import PriceTable
from memtrial.models.wire.content_codings import CodingFault, decode
from memtrial.models.wire.json_fields import WireFault
from memtrial.models.wire.reply_usage import Billed, ReplyUsage, read_stream_usage, read_usage
from memtrial.proxy.passed_headers import Headers


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says of its cost: its model, and whether its reply will say its usage."""

    model: str = ""
    tells_usage: bool = True


def read_asked(billed: Billed, body: bytes, codings: str) -> Asked:
    """What the body of a request asks for; no model where it cannot be read."""
    try:
        parsed = from_json(decode(body, codings))
    except (CodingFault, ValueError):
        return Asked(tells_usage=False)
    if not isinstance(parsed, dict):
        return Asked(tells_usage=False)
    model, options = parsed.get("model"), parsed.get("stream_options")
    is_silent = billed == "chat" and parsed.get("stream") is True
    if is_silent and isinstance(options, dict):
        is_silent = options.get("include_usage") is not True
    is_silent = is_silent or (billed == "responses" and parsed.get("background") is True)
    return Asked(model if isinstance(model, str) else "", not is_silent)


def read_metered(billed: Billed, headers: Headers, body: bytes) -> ReplyUsage | None:
    """What a reply used, also of its beginning alone; None where that cannot be read."""
    try:
        plain = decode(body, headers.get("content-encoding", ""))
        if headers.get("content-type", "").lower().startswith("text/event-stream"):
            return read_stream_usage(billed, plain)
        return read_usage(billed, from_json(plain))
    except (CodingFault, WireFault, ValueError):
        return None


def price(prices: PriceTable, provider: str, asked: str, usage: ReplyUsage) -> float | None:
    """US dollars of a reply, by the model that was asked or else the one that answered; None: not known."""
    reply = usage.as_reply()
    for model in (asked, usage.model):
        if model and (usd := prices.usd(f"{provider}/{model}", reply)) is not None:
            return usd
    return None
