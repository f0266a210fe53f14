"""The ReasoningBank put together: what runs taught goes into the log, what a task asks is ranked out of it.

Sources: seeds/003 (upsert, retrieve, usage), seeds/000 (its two calls); REQUIREMENTS A-04, A-05, F-15, F-22.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from memtrial.agents.trajectory import Moment, Trajectory
from memtrial.memory.bank.bank_item import BankItem, ItemOrigin, Outcome
from memtrial.memory.bank.bank_settings import BankSettings
from memtrial.memory.bank.canonical.canonical_form import canonicalise_item
from memtrial.memory.bank.cited_items import confidence_after
from memtrial.memory.bank.confidence.initial_confidence import initialise_confidence
from memtrial.memory.bank.confidence.logged_signals import FollowedProject
from memtrial.memory.bank.confidence.verdict_audit import CHECKED, WORLD, is_checked
from memtrial.memory.bank.consolidated_bank import carry_out, count_new_items, propose_consolidation
from memtrial.memory.bank.consolidation.advice_polarity import measure_opposition
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan
from memtrial.memory.bank.consolidation.contradiction import Contradicts
from memtrial.memory.bank.distillation.distilled_items import DistilledItem
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    Cause,
    ConfidenceSet,
    EpisodeAdded,
    ItemAdded,
    RecordAdded,
    ScalingMode,
    ScalingRunEnded,
    SignalSeen,
    StandingSet,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, get_item, list_items
from memtrial.memory.bank.events.kept_episode import EpisodeSource, make_episode
from memtrial.memory.bank.events.redacted_events import redact_value
from memtrial.memory.bank.index.embedded_texts import KeyText, note_vectors
from memtrial.memory.bank.labelled_run import LabelledRun, find_source
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.memory.bank.ranking.item_pool import narrow_pool
from memtrial.memory.bank.ranking.ranked_hit import Ranking
from memtrial.memory.bank.ranking.ranked_items import rank_items
from memtrial.memory.bank.run_tags import tag_run
from memtrial.memory.bank.search.bank_search import note_hits
from memtrial.memory.bank.search.live_pool import LivePool
from memtrial.memory.bank.search.task_query import form_query
from memtrial.memory.bank.search.turn_signs import TurnRanking, meet_signs
from memtrial.memory.item import Item
from memtrial.models.embeddings.embedding import Array, EmbedTexts


@dataclass
class ReasoningBank:
    """A bank that is open.

    Args:
        log: its file; what is written into it is redacted there.
        embed: of the space of that name; MemoryFault on the first use where the bank has another.
    """

    log: BankLog
    embed: EmbedTexts
    space: str
    settings: BankSettings = BankSettings()
    _pool: LivePool = field(init=False)
    _queries: dict[str, Array] = field(default_factory=dict, init=False)
    _followed: dict[str, FollowedProject] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._pool = LivePool(self.log, ItemFilter(self.settings.project), self.settings.profile.key)

    def keep(
        self,
        made: Sequence[DistilledItem],
        runs: Sequence[LabelledRun],
        why: str,
        mode: ScalingMode | None = None,
        beside: Sequence[LabelledRun] = (),
    ) -> tuple[str, ...]:
        """Keep runs and what they taught, all of it or nothing; the ids of the new items.

        A batch with a run that the bank has already adds nothing, and the answer is empty. An item is kept
        under the run that it comes of, and a judge's confidence in it is the one in that run.

        Args:
            mode: how one task was tried several times; None where it was not.
            beside: earlier runs that these were compared with, as they were shown; an item may come of one.

        Raises:
            MemoryFault: the bank has another embedder, or cannot be written.
        """
        first, tried = runs[0], "" if mode is None else self.log.make_id()
        source = EpisodeSource(self.settings.project, scaling_run=tried)
        episodes = [make_episode(run.trajectory, source) for run in runs]
        cause = Cause("bank", why)
        items, added = self._describe(made, runs, beside, cause)
        events: list[BankEvent] = [EpisodeAdded(episode) for episode in episodes]
        for episode, run in zip(episodes, runs, strict=True):
            if run.world is not None and run.judge != WORLD and is_checked(episode.id):
                # the judge's own comes last, and counts
                events.append(VerdictGiven(episode.id, run.world, WORLD, 1.0, CHECKED))
            ended = run.trajectory
            events.append(VerdictGiven(episode.id, ended.outcome, run.judge, run.sure, ended.reason))
        events += added
        record = self._record(first.trajectory, items, episodes[0].id)
        if mode is not None:
            n = len(runs) if mode == "parallel" else len(runs) - 1
            events.append(ScalingRunEnded(tried, first.trajectory.task_id, mode, n))
        return items if self.log.append([*events, record], cause) else ()

    def keep_of(
        self,
        made: Sequence[DistilledItem],
        runs: Sequence[LabelledRun],
        cause: Cause,
        episode_id: str = "",
        instead_of: Sequence[str] = (),
        beside: Sequence[LabelledRun] = (),
    ) -> tuple[str, ...]:
        """Keep what runs taught that the bank holds already, all of it or nothing; the ids of the new items.

        Args:
            episode_id: the run's, where it is one; nothing is added if it has taught something already.
            instead_of: items that are archived for it.
            beside: as `keep` has it.

        Raises:
            MemoryFault: the bank has another embedder, or cannot be written.
        """
        items, added = self._describe(made, runs, beside, cause)
        events: list[BankEvent] = [StandingSet(name, "archived") for name in instead_of]
        record = self._record(runs[-1].trajectory, items, episode_id)
        return items if self.log.append([*events, *added, record], cause) else ()

    def _record(self, run: Trajectory, items: tuple[str, ...], episode_id: str) -> RecordAdded:
        return RecordAdded(self.log.make_id(), run.task_id, run.query, items, episode_id)

    def _describe(
        self,
        made: Sequence[DistilledItem],
        runs: Sequence[LabelledRun],
        beside: Sequence[LabelledRun],
        cause: Cause,
    ) -> tuple[tuple[str, ...], list[BankEvent]]:
        """Distilled items as the bank's own: their ids, and the events that add them with their vectors."""
        items = [
            redact_value(self._item(item, find_source(item, runs, beside), runs), self.log.redact)
            for item in made
        ]
        events: list[BankEvent] = [ItemAdded(item) for item in items]
        if items:
            key = self.settings.profile.key
            texts = [KeyText(item.id, key, key_text(item, key)) for item in items]
            vectors = self.embed([text.text for text in texts])
            events += note_vectors(self.log, self.space, texts, vectors, cause)
        return tuple(item.id for item in items), events

    def consolidate(self, contradicts: Contradicts = measure_opposition) -> ConsolidationPlan | None:
        """Consolidate where so many items have come since the last time; None where it is not due.

        Args:
            contradicts: says whether two items contradict each other.

        Raises:
            MemoryFault: the bank cannot be written, or another process changed it in the meantime.
        """
        every = self.settings.consolidate
        if every is None or count_new_items(self.log) < every:
            return None
        proposed = propose_consolidation(self.log, self.embed, contradicts, self.settings.policy)
        carry_out(self.log, proposed, "bank")
        return proposed.plan

    def rank(self, query: str, k: int | None = None) -> Ranking:
        """What a task of this text is shown, and why; nothing of the bank is changed by it.

        Args:
            k: in the place of the profile's.
        """
        profile = self.settings.profile
        if k is not None and k != profile.k:
            profile = profile.model_copy(update={"k": k, "probation": profile.probation and k > 1})
        pool = self._pool.refresh()
        vector = self.embed((query,))[0] if pool.items else np.zeros(pool.vectors.shape[1], dtype=np.float32)
        return rank_items(pool, vector, profile, self.log.clock())

    def embed_queries(self, texts: Sequence[str]) -> Array:
        """Vectors of tasks' texts, shape (n, d), n > 0; each is embedded once while the bank is open."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._queries]
        if fresh:
            self._queries |= dict(zip(fresh, self.embed(fresh), strict=True))
        return np.stack([self._queries[text] for text in texts])

    def rank_within(self, moment: Moment, passed: Collection[str]) -> TurnRanking | None:
        """What comes up in the midst of a task: the items whose signs are met are ranked by what is observed.

        Args:
            passed: ids of items that do not come up, or not again.

        Returns None where no sign is met: then nothing is searched for.
        """
        pool = self._pool.refresh()
        met = meet_signs(pool.items, moment, passed)
        if not met:
            return None
        query = form_query(moment.task, moment.state)
        vector = self.embed((query,))[0]
        ranking = rank_items(narrow_pool(pool, met), vector, self.settings.profile, self.log.clock())
        return TurnRanking(query, met, ranking)

    def use(
        self,
        ranking: Ranking,
        task_id: str,
        cited: Sequence[str],
        success: bool,
        within: Sequence[Ranking] = (),
    ) -> None:
        """Record what a task was shown and what it cited of that; citations alone bear on confidence.

        Args:
            within: what came up in the midst of it.

        Raises:
            MemoryFault: what is cited is not in the bank; nothing is changed.
        """
        outcome: Outcome = "success" if success else "failure"
        events: list[BankEvent] = [
            event for shown in (ranking, *within) for event in note_hits(shown, task_id)
        ]
        events += [SignalSeen(name, "cited", task_id, outcome) for name in cited]
        if not events:
            return
        cause = Cause("bank", f"used in task {task_id}")
        self.log.append(events, cause)
        if cited:
            items = [get_item(self.log, name) for name in dict.fromkeys(cited)]
            settings, followed = self.settings, self._followed
            trusted = confidence_after(self.log, items, success, settings.rule, followed, settings.eta)
            changes = [ConfidenceSet(item.id, value) for item, value in zip(items, trusted, strict=True)]
            self.log.append(changes, cause)

    def items(self) -> tuple[BankItem, ...]:
        """The active items of this project and those above it."""
        return list_items(self.log, ItemFilter(self.settings.project))

    def words_of(self, made: DistilledItem) -> Item:
        """A distilled item's words as the bank keeps them, but for what is redacted."""
        return canonicalise_item(made.item) if self.settings.canonical else made.item

    def _item(self, made: DistilledItem, source: LabelledRun, runs: Sequence[LabelledRun]) -> BankItem:
        """A distilled item with an id, where it comes from, and what it is trusted with at first."""
        run = source.trajectory
        origin = ItemOrigin(
            run.task_id,
            run.query,
            made.outcome,
            run.trace_id,
            self.settings.project,
            run.family,
            tag_run(run),
            run_id=runs[0].run_id,
            truth_seen=any(each.truth_seen for each in runs),
        )
        confidence = initialise_confidence(made.outcome, source.sure, self.settings.initial)
        return BankItem(
            self.log.make_item_id(),
            1,
            self.words_of(made),
            origin,
            self.log.clock(),
            confidence,
            made.details,
        )
