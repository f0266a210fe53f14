"""Whether a coding agent reads its memory: few sessions with it intact, and their requests asked again."""

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path

from memtrial.api.coding.agent_choice import ChosenAgent
from memtrial.api.coding.few_calls import FEW_CALLS
from memtrial.api.coding.intact_sessions import (
    Sessions,
    digest_items,
    find_sessions,
    lock_sessions,
    play_sessions,
    refuse_other_sessions,
    write_sessions,
)
from memtrial.api.coding.memory_choice import MemoryChoice, list_items, read_choice
from memtrial.api.coding.opened_try import TryOptions, name_try, open_agent, open_try
from memtrial.api.coding.played_rows import rehearse
from memtrial.api.coding.tasks import TaskList, hold_mining
from memtrial.api.probe.log_source import KeptRequests, read_items, read_requests
from memtrial.api.probe.prepared_probe import PreparedProbe, prepare_source
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probe_source import PROBE
from memtrial.api.probe.probed_cells import USUAL, find_kinds
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS
from memtrial.coding_trials.work_records import read_work_records
from memtrial.console.display import Display, money, progress_of
from memtrial.faults import RESUME, RunFault, SpecFault
from memtrial.models.client.transport import SpentFault
from memtrial.private_file import make_private
from memtrial.repositories.mining.exclusions import count_kinds
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.runs.forecast.session_forecast import SessionForecast
from memtrial.runs.run_folder.folder import LOGS, alone_in
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.spec.option_values import option_of, refuse_options

UNSPOKEN = "openai responses"
"""The format in which requests cannot be sent again."""
OF_A_SERVER = (
    "--probe is of memory that stands in requests as it is: name a file, or marker:FILE; what a memory server"
    " gives depends on what the agent asks it"
)
OF_TRIALS = ("perturber", "judge", "repeats", "limit", "retry_errors", "clean")
NO_TRIAL = f"--probe plays no damage: leave {', '.join(map(option_of, OF_TRIALS))} out"


@dataclass(frozen=True, slots=True)
class TryProbeOptions:
    """How sessions are played, and how their requests are asked again.

    Args:
        play: its conditions, budget and folder are those of the whole.
        ask: of it count the items' advice, the number of calls, and the samples.
    """

    play: TryOptions = TryOptions()
    ask: ProbeOptions = ProbeOptions(calls=FEW_CALLS)


@dataclass(frozen=True, slots=True)
class PreparedSessions:
    """Sessions that are checked and have not begun, of which some may have been played before.

    Args:
        items: of the memory, as a trial with it intact shows them.
        folder: of the sessions, and of the probe below it.
    """

    choice: MemoryChoice
    items: tuple[str, ...]
    folder: Path
    chosen: ChosenAgent
    listed: TaskList
    options: TryProbeOptions
    mining: MiningOptions

    @property
    def sessions(self) -> Sessions:
        """Those that were played so far."""
        return find_sessions(self.folder, self.listed.tasks, digest_items(self.items))

    @property
    def spent_usd(self) -> float:
        """What sessions have cost so far, those of no use among them, as far as it is known."""
        return sum(record.usd or 0.0 for record in read_work_records(self.folder))

    @property
    def forecast(self) -> SessionForecast:
        """What it comes to from here on."""
        options, terms = self.options.play, self.mining.terms
        return SessionForecast(
            about=(*self.chosen.about, *self.listed.notes),
            tasks=len(self.listed.tasks),
            left_out={str(kind): n for kind, n in count_kinds(self.listed.left_out).items()},
            played=len(self.sessions),
            calls=self.options.ask.calls,
            rehearsal=rehearse(read_work_records(self.folder)),
            most_s=options.timeout_s + terms.timeout_s,
            at_once=options.max_connections,
            max_usd=options.budget,
        )


@without_loop
def prepare_try_probe(
    agent: str,
    memory: str | Path,
    tasks: str = "git:10",
    repo: Path = Path(),
    options: TryProbeOptions = TryProbeOptions(),
    mining: MiningOptions | None = None,
    display: Display | None = None,
) -> PreparedSessions:
    """Check everything, and find the tasks; no model is asked. Raises as `memtrial.try_agent`."""
    refuse_options(options, TryProbeOptions, "options")
    play, usual = options.play, TryOptions()
    if any(getattr(play, name) != getattr(usual, name) for name in OF_TRIALS):
        raise SpecFault(NO_TRIAL)
    find_kinds(play.conditions)
    _refuse_unspoken(agent)
    mining = hold_mining(mining or MiningOptions(), repo)
    choice = read_choice(memory, play.marks, os.environ)
    if choice.variables is not None:
        raise SpecFault(OF_A_SERVER)
    chosen, listed = open_try(agent, choice, tasks, repo, play, mining, display)
    name = f"{name_try(chosen, choice.path)}-probe_s{play.seed}"
    folder = play.out if play.out is not None else LOGS / name
    items = list_items(chosen.starter.carrier.given)
    refuse_other_sessions(folder, lock_sessions(chosen.starter.digests, items))
    return PreparedSessions(choice, items, folder, chosen, listed, options, mining)


@without_loop
def play_out_sessions(prepared: PreparedSessions, display: Display | None = None) -> PreparedProbe:
    """Play the sessions that are left, and count the calls that ask their requests again.

    Raises:
        SpecFault: the memory stands in no request.
        RunFault: the budget is spent, or no session is of use; what was played is kept.
    """
    folder, play, shown = prepared.folder, prepared.options.play, progress_of(display)
    folder.mkdir(0o700, parents=True, exist_ok=True)
    make_private(folder)
    lost: tuple[str, ...] = ()
    with alone_in(folder):
        write_sessions(folder, lock_sessions(prepared.chosen.starter.digests, prepared.items))
        played = prepared.sessions
        left = [task.id for task in prepared.listed.tasks if task.id not in played]
        if left:
            agent = open_agent(prepared.chosen, prepared.listed, play, prepared.mining, folder)
            agent.spent_usd = prepared.spent_usd
            with shown.phase("play sessions", len(left)) as tick:
                try:
                    lost = asyncio.run(play_sessions(agent, left, prepared.items, play.max_connections, tick))
                except SpentFault as fault:
                    raise RunFault(f"stopped: {fault}; {RESUME}") from fault
    if not prepared.sessions:
        raise RunFault(f"no session is of use; the first: {lost[0] if lost else 'no model answered'}")
    return _prepare_asking(prepared, lost)


def _prepare_asking(prepared: PreparedSessions, lost: tuple[str, ...]) -> PreparedProbe:
    """The probe of what was played."""
    play, choice, sessions = prepared.options.play, prepared.choice, prepared.sessions
    spent = prepared.spent_usd
    left = None if play.budget is None else play.budget - spent
    if left is not None and left <= 0:
        raise RunFault(f"stopped: the budget of {money(spent)} is spent; {RESUME}")
    asked = replace(
        prepared.options.ask,
        conditions=play.conditions or USUAL,
        max_cost=left,
        out=prepared.folder / PROBE,
        seed=play.seed,
        margin=play.margin,
        base_urls=play.base_urls,
        environment=play.environment,
    )
    items, frame = prepared.items, prepared.chosen.starter.carrier.file.text
    if choice.is_plain:
        items, frame = read_items(choice.path)
    paths = {work.requests: task for task, (_, work) in sessions.items()}
    name = f"{prepared.chosen.starter.name} with {choice.path.name}"
    kept = KeptRequests(list(paths), name, prepared.folder / PROBE, choice.path, items, frame, paths)
    source = read_requests(kept, asked)
    carried = sum(bool(record.carried) for record, _ in sessions.values())
    seconds = sum(record.seconds for record, _ in sessions.values())
    notes = (
        f"Sessions: {len(sessions):,}, in {seconds:.0f} s, {money(spent)} as far as prices are known; the"
        f" whole memory stood in requests of {carried:,} of them. Whether tasks were solved is not asked.",
        *(f"A session is of no use: {line}" for line in lost),
        *source.notes,
    )
    return prepare_source(replace(source, notes=notes, simulated=prepared.chosen.simulated), asked)


def _refuse_unspoken(agent: str) -> None:
    """SpecFault for an agent whose requests cannot be sent again."""
    if any(record.name == agent and record.api == UNSPOKEN for record in SHIPPED_AGENTS):
        spoken = ", ".join(record.name for record in SHIPPED_AGENTS if record.api != UNSPOKEN)
        raise SpecFault(
            f"--probe asks requests again as Anthropic's messages and OpenAI's chats: of {spoken}, or of a"
            f" command that sends such; {agent} sends OpenAI's responses: try it without --probe"
        )
