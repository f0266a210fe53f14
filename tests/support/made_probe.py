"""The results of a probe, written by hand."""

from memtrial.views.rows.probe_rows import ProbeArm, ProbeItem, ProbeResults, ProbeRow

_OF = {"backbone": "simulated/reader", "arm": "artifact"}
_SIZES = {"n_decisions": 40, "n_tasks": 20, "n_clusters": 20}
_EFFECT = {"estimate": 0.5, "low": 0.3, "high": 0.7, "p_adjusted": 0.002}


def made_probe() -> ProbeResults:
    """A probe with an effect that is shown, one that is open and one that is absent, and an item."""
    rest = {"before": 0.8, "after": 0.3, "p": 0.001, "p_equivalence": 1.0}
    rows = tuple(
        ProbeRow.model_validate(
            _OF | _SIZES | _EFFECT | rest | {"outcome": outcome, "condition": condition, "word": word}
        )
        for outcome, condition, word in (
            ("advised", "counter", "moves"),
            ("advised", "left out", "inconclusive"),
            ("shift", "counter", "still"),
        )
    )
    shares = {"present": 0.8, "absent": 0.3, "word": "moves"}
    shift = {"shift": 0.4, "shift_low": 0.2, "shift_high": 0.6, "shift_word": "moves"}
    text = {"text": "Take `blanks` from the rack.", "advice": ("take blank",)}
    return ProbeResults(
        source="logs/latest",
        models=("simulated/reader",),
        simulated=True,
        exact=False,
        samples=4,
        n_decisions=40,
        n_tasks=20,
        n_clusters=20,
        clustered="task",
        n_echoed=2,
        calls=900,
        usd=None,
        margin=0.1,
        alpha=0.05,
        arms=(
            ProbeArm(backbone="simulated/reader", arm="artifact", word="follows", why="`counter` moves it"),
        ),
        rows=rows,
        items=(ProbeItem.model_validate(_OF | _SIZES | _EFFECT | shares | shift | text),),
        left_out={"asked twice": 2},
        notes=("It is a `note`.",),
    )
