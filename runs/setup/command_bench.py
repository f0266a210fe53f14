"""The proxy through which the command of a run reaches its provider, open for as long as a session lasts."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

from memtrial.commands.command_spec import CommandSpec
from memtrial.models.client.client import ModelClient
from memtrial.plugins.own_agent import load_command
from memtrial.plugins.proxied_command import CommandBench, watch_of
from memtrial.protocols import LedgerStore
from memtrial.proxy.exchange import Exchange
from memtrial.proxy.exchange_folder import exchange_folder
from memtrial.proxy.exchange_store import ExchangeStore, MemoryExchanges
from memtrial.proxy.proxy_account import ProxyLimits
from memtrial.runs.setup.command_checks import sandbox_of, upstreams_of
from memtrial.runs.setup.preflight import Experiment

EXCHANGES = "exchanges"
"""The folder beside the ledger that keeps every request of commands, a folder a session."""


@asynccontextmanager
async def command_bench(
    experiment: Experiment, ledger: LedgerStore, model_client: ModelClient
) -> AsyncIterator[Experiment]:
    """The experiment with its command ready to be played; as it is where its agent is none.

    Raises:
        SpecFault: the folder of requests cannot be made.
    """
    asked = experiment.spec.agent
    if not isinstance(asked, CommandSpec):
        yield experiment
        return
    from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy  # of no use to a run without a command

    upstreams = upstreams_of(experiment.keys)
    ended: dict[str, list[Exchange]] = {}
    with ExitStack() as opened:
        store: ExchangeStore = MemoryExchanges()
        if ledger.path.exists():
            number = ledger.sessions()[-1].number if ledger.sessions() else 0
            folder = ledger.path.with_name(EXCHANGES) / f"session_{number}"
            store = opened.enter_context(exchange_folder(folder))
        limits = limits_left(experiment, ledger, model_client)
        books = ProxyBooks(store, experiment.prices, limits, watch_of(ended))
        async with open_proxy(upstreams, books) as proxy:
            bench = CommandBench(proxy, store, ended, sandbox_of(asked))
            agent = replace(load_command(asked, experiment.spec.seed), bench=bench)
            yield replace(experiment, given=replace(experiment.given, agent=lambda: agent))


def limits_left(experiment: Experiment, ledger: LedgerStore, model_client: ModelClient) -> ProxyLimits:
    """What earlier sessions left of the run's budget."""
    budget = experiment.spec.budget
    usd = None if budget.allow_unknown_prices else budget.max_cost_usd
    if usd is not None:
        spent = model_client.transport.paid(model_client.cache)[0]
        usd = max(0.0, usd - spent - sum(row.reported_usd for row in ledger.trials()))
    calls = budget.max_calls
    if calls is not None:
        calls = max(0, calls - sum(row.calls - row.cached for row in ledger.trials()))
    return ProxyLimits(usd, calls, experiment.spec.engine.max_connections)
