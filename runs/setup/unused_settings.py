"""Refuse settings without effect: pairs without a common damage, looks without a hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.spec.spec import Spec


def refuse_idle(
    spec: Spec,
    damages: Mapping[str, Sequence[str]],
    pairs: Sequence[tuple[str, str]],
    primary: Sequence[str],
) -> None:
    """Every pair that is asked for has a contrast, and looks have a hypothesis to look at.

    Args:
        damages: names of what is done to each arm's slot.
        pairs: (treatment, control) arms whose drops are compared.
        primary: the conditions of the hypotheses, by name; empty: all of them.

    Raises:
        SpecFault: one has none.
    """
    for pair in spec.analysis.pairs or ():
        if not shared(damages, pair):
            own = "; ".join(f"{arm}: {', '.join(damages[arm]) or 'not damaged'}" for arm in pair)
            raise SpecFault(
                f"analysis.pairs needs two arms with a damage in common; got {list(pair)} ({own}), whose"
                " drops cannot be compared; leave the pair out, or name other arms or conditions"
            )
    if spec.analysis.looks > 1 and not _hypotheses(damages, pairs, primary):
        raise SpecFault(
            f"analysis.looks needs a hypothesis to look at; got looks: {spec.analysis.looks} and no two arms"
            " whose drops are compared under a primary condition; leave looks out, or name analysis.pairs"
        )


def shared(damages: Mapping[str, Sequence[str]], pair: tuple[str, str]) -> tuple[str, ...]:
    """What is done to both arms of a pair."""
    treatment, control = pair
    return tuple(name for name in damages[treatment] if name in damages[control])


def _hypotheses(
    damages: Mapping[str, Sequence[str]], pairs: Sequence[tuple[str, str]], primary: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Pair and condition of every contrast of the primary family."""
    found = []
    for pair in pairs:
        common = shared(damages, pair)
        single = AnalysisPlan(arms=pair, conditions=common, pairs=(pair,)).damages
        found += [(*pair, name) for name in single if name in (primary or single)]
    return found
