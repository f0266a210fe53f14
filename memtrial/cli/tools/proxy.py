"""`proxy`: the proxy alone, for an agent that is started elsewhere."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import BaseUrl, Json
from memtrial.console.standard_output import complain, put, put_json, put_line
from memtrial.faults import refused
from memtrial.runs.run_folder.folder import LOGS

if TYPE_CHECKING:
    from memtrial.proxy.exchange import Exchange
    from memtrial.proxy.loopback_proxy import Proxy
    from memtrial.proxy.proxy_account import ProxyAccount, ProxyLimits
    from memtrial.proxy.upstreams import Upstreams


def proxy(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    base_url: BaseUrl = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, max=1e9, help="US dollars that may be spent.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(min=0, help="Requests that cost money.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Keep every request here; default logs/proxy_<time>.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Stand between any agent and its provider: what it asks is kept, counted and bounded."""
    from memtrial.models.client.keys import read_keys
    from memtrial.models.client.types import ModelFault
    from memtrial.proxy.proxy_account import ProxyLimits
    from memtrial.proxy.upstreams import open_upstreams

    # prints its address and four variables for an agent's clients, then a line for each request
    with refused(ModelFault):
        upstreams = open_upstreams(read_keys(os.environ, Path.cwd(), base_url or ()))
    folder = out or LOGS / f"proxy_{datetime.now():%Y%m%d-%H%M%S}"
    limits = ProxyLimits(max_cost, max_calls)
    ended = asyncio.run(_serve(upstreams, limits, folder, port, as_json))
    return _conclude(ended, folder, as_json)


async def _serve(upstreams: Upstreams, limits: ProxyLimits, folder: Path, port: int, as_json: bool) -> Proxy:
    from memtrial.models.client.prices import shipped_prices
    from memtrial.proxy.exchange_folder import exchange_folder
    from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy
    from memtrial.proxy.proxy_session import SessionTerms
    from memtrial.runs.engine.interrupt import ending_signals

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ending_signals():
        loop.add_signal_handler(name, stop.set)

    def watch(exchange: Exchange) -> None:
        if as_json:
            put_json(asdict(exchange), indent=None)
        else:
            put_line(exchange_line(exchange))

    with exchange_folder(folder) as store:
        books = ProxyBooks(store, shipped_prices(), limits, watch)
        async with open_proxy(upstreams, books, port=port) as opened:
            session = opened.open_session(SessionTerms("alone"))
            for notice in _notices(upstreams):
                complain(notice)
            if as_json:
                begun = {"url": opened.url, "environment": session.environment(), "folder": str(folder)}
                put_json(begun, indent=None)
            else:
                variables = (f"{name}={value}" for name, value in session.environment().items())
                put("\n".join([opened.url, *variables]))
            await stop.wait()
        return opened


def _notices(upstreams: Upstreams) -> list[str]:
    """What the user should know of keys before anything is sent."""
    sent = [upstream.notice for upstream in upstreams.reached.values() if upstream.notice]
    return sent + [f"{name} is not reached: {why}" for name, why in upstreams.missing.items()]


def _conclude(proxy: Proxy, folder: Path, as_json: bool) -> int:
    """Print what was used; the exit code."""
    account = proxy.account
    if as_json:
        body = {"summary": account.totals(), "strangers": proxy.strangers, "halted": proxy.halted}
        put_json(body, indent=None)
    else:
        put_line(summary_line(account, proxy.strangers) + (f"; kept in {folder}" if folder.exists() else ""))
    if proxy.halted:
        complain(f"stopped: {proxy.halted}")
    return int(bool(proxy.halted))


def exchange_line(exchange: Exchange) -> str:
    """One exchange that has ended, on one line."""
    intent, end = exchange.intent, exchange.end
    assert end is not None
    words = [f"{intent.number}", intent.method, intent.path, str(end.status or "-")]
    if end.usage is not None:
        usage = end.usage
        prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        words += [usage.model, f"{prompt:,} in {usage.output_tokens:,} out"]
        words.append("no price known" if end.usd is None else f"${end.usd:.4f}")
    if end.unmetered:
        words.append("unmetered")
    if end.how != "answered":
        words.append(f"{end.how}: {end.why}" if end.why else end.how)
    words.append(f"{end.ended_s - intent.begun_s:.1f} s")
    return "  ".join(words)


def summary_line(account: ProxyAccount, strangers: int) -> str:
    """What was used, in a sentence."""
    prompt = account.input_tokens + account.cache_read_tokens + account.cache_write_tokens
    words = [
        f"{account.calls:,} calls, {prompt:,} tokens in, {account.output_tokens:,} out, ${account.usd:.4f}"
    ]
    more = {
        "unmetered: they may have cost more": account.unmetered,
        "without a known price": account.unpriced,
        "refused": account.refused,
        "without the token": strangers,
    }
    return "; ".join(words + [f"{count:,} {what}" for what, count in more.items() if count])
