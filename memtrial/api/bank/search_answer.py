"""What a search of a bank found, in lines for people and as values for programs."""

from collections.abc import Iterator
from dataclasses import dataclass

from memtrial.memory.bank.preambles.item_gist import gist_of
from memtrial.memory.bank.ranking.ranked_hit import Hit, Ranking, Reason
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A search's result.

    Args:
        ranking: what a task of this query would be shown.
        hits: the items that fit best, without regard to diversity and budget, those that would be withheld
            too.
    """

    query: str
    project: str
    profile: RankingProfile
    ranking: Ranking
    hits: tuple[Hit, ...]

    def lines(self, explain: bool = False) -> Iterator[str]:
        """The items that are shown, then the others that fit; explained: each with its score as a sum."""
        shown = self.ranking.hits
        whose = f"project {self.project}" if self.project else "no project"
        yield f"profile {self.profile.name}, {whose}: {len(shown)} shown"
        if self.ranking.abstention is not None:
            hint = "" if self.project or self.ranking.abstention.code != "empty" else "; --project says whose"
            yield f"nothing is shown: {self.ranking.abstention.words}{hint}"
        for number, hit in enumerate(shown, 1):
            mark = ", on probation" if hit.probation else ""
            yield from self._lines(f"{number}", hit, mark, explain)
        ids = {hit.id for hit in shown}
        passed = {item.id: item for item in self.ranking.passed}
        for hit in self.hits:
            if hit.id in ids:
                continue
            if hit.id in passed:
                why = f", does not fit: {passed[hit.id].tokens} tokens with it"
            else:
                why = f", withheld: {self._reason(hit, hit.withheld)}" if hit.withheld else ""
            yield from self._lines("-", hit, why, explain)
        if self.ranking.tokens is not None and self.profile.budget is not None:
            yield f"{self.ranking.tokens} tokens are shown; {self.profile.budget.words} may be"

    def body(self) -> dict[str, object]:
        """The same as JSON values, with the profile whole and the block as it would stand in a prompt."""
        ranking = self.ranking
        abstained = ranking.abstention
        return {
            "query": self.query,
            "project": self.project,
            "profile": self.profile.model_dump(),
            "shown": [_describe(hit) for hit in ranking.hits],
            "passed": [
                {"id": item.id, "score": item.score, "tokens": item.tokens} for item in ranking.passed
            ],
            "reason": None if abstained is None else {"code": abstained.code, "words": abstained.words},
            "tokens": ranking.tokens,
            "block": ranking.block,
            "found": [_describe(hit) for hit in self.hits],
        }

    def _lines(self, mark: str, hit: Hit, why: str, explain: bool) -> Iterator[str]:
        yield f"{mark}  {hit.score:.3f}  {hit.id}  {gist_of(hit.item).title}{why}"
        if explain:
            uses = hit.item.uses
            yield f"   {hit.words}"
            yield (
                f"   confidence {hit.item.confidence:.3f}; retrieved {uses.retrieved}, shown {uses.shown},"
                f" cited {uses.cited}: {uses.wins} won, {uses.losses} lost (log-odds {hit.odds:.3f})"
            )

    def _reason(self, hit: Hit, reason: Reason | None) -> str:
        profile = self.profile
        if reason == "confidence" and profile.least_confidence is not None:
            return f"its confidence is {hit.item.confidence:.3f}, {profile.least_confidence.words} is needed"
        if reason == "similarity" and profile.least_similarity is not None:
            return f"its cosine is {hit.parts[0].figure:.3f}, {profile.least_similarity.words} is needed"
        return f"it is {hit.item.standing}"


def _describe(hit: Hit) -> dict[str, object]:
    uses = hit.item.uses
    return {
        "id": hit.id,
        "version": hit.item.version,
        "title": gist_of(hit.item).title,
        "outcome": hit.item.origin.outcome,
        "score": hit.score,
        "parts": [
            {"name": part.name, "figure": part.figure, "weight": part.weight, "points": part.points}
            for part in hit.parts
        ],
        "log_odds": hit.odds,
        "confidence": hit.item.confidence,
        "uses": {"retrieved": uses.retrieved, "shown": uses.shown, "cited": uses.cited},
        "standing": hit.item.standing,
        "withheld": hit.withheld,
        "probation": hit.probation,
    }
