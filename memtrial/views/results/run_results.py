"""results.json: everything a run says, computed from its ledger and from nothing else.

It holds no time, no path and no count of attempts, so that the same trials give the same bytes.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial

from memtrial.analysis.analyse import analyse, estimate, judge
from memtrial.analysis.hypothesis_families import families
from memtrial.analysis.result import Analysis, Estimate
from memtrial.analysis.sequential.interim import LockedLooks
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.ledger.run_plan import RunPlan, identity_in_force
from memtrial.ledger.shards.shard_facts import refuse_shard
from memtrial.outcomes.reserved_names import ALL, PLACEBO
from memtrial.protocol.hidden_names import hidden_names
from memtrial.protocol.lock_check import Beside
from memtrial.protocol.masked_view import View, view_of
from memtrial.protocol.masking import NOTHING_MASKED
from memtrial.protocol.monitoring import looks_of, monitor_trials
from memtrial.protocol.run_cells import (
    acts_tables,
    analysis_plan,
    outcome_table,
    readable_table,
)
from memtrial.protocols import LedgerStore
from memtrial.views.computation import Begin, OpenRows, compute_late
from memtrial.views.evidence import contrast_rows, untrusted
from memtrial.views.evidence.ablation_rows import ablation_rows
from memtrial.views.evidence.advice_rows import decision_rows, untestable_by_decision
from memtrial.views.evidence.bundle_audit import audit_rows, pair_sentences
from memtrial.views.evidence.cost_ratios import compare_condition_costs
from memtrial.views.evidence.divergence import against_inert, compare_trials, read_divergence
from memtrial.views.evidence.exposure_rows import exposed_rows, funnel_rows
from memtrial.views.evidence.factor_evidence import factor_rows, inert_artifact, missing_arms
from memtrial.views.evidence.group_evidence import GroupEvidence, begin_families, begin_items
from memtrial.views.evidence.harm import coded_modes, last_coded
from memtrial.views.evidence.untrusted import leak_notes, leak_rows
from memtrial.views.results import play_summary, preparation
from memtrial.views.results.arm_makeup import contrast_lines, making_rows
from memtrial.views.results.cell_rows import cell_rows
from memtrial.views.results.checked_slots import read_checks
from memtrial.views.results.judge_audit import judge_audit, judge_sentence
from memtrial.views.results.undecidable_cells import undecidable_notes, unplayed_notes
from memtrial.views.rows.evidence_rows import ListedFamily, Multiplicity
from memtrial.views.rows.results import Results, Status

_OF_PLAN = (
    *("name", "question", "seed", "simulated", "control", "cue", "world", "outcome", "backbones", "arms"),
    *("conditions", "tasks", "repeats", "margin", "alpha", "cluster", "digests"),
)


REPEAT_CALL = "# the call, or the `memtrial try`, that made this folder, again"


def from_python(ledger: LedgerStore) -> bool:
    """Whether the agent or the tasks were handed over from Python, so that no command has them."""
    identity = identity_in_force(ledger) or {}
    posed = identity.get("environment.world") == "given" and identity.get("environment.tasks") is None
    return posed or identity.get("agent") == "given"


def results(
    ledger: LedgerStore,
    beside: Beside | None = None,
    unmask: bool = False,
    begin: Begin = compute_late,
    rows: OpenRows | None = None,
) -> Results:
    """The results of a run, in the shape of DESIGN 6 and more.

    Where a lock is not complete, all that rests on scores comes under masked names of the arms.

    Args:
        beside: what stands beside the ledger in its folder: lock.json, the spec, the code.
        unmask: show the arms' names all the same.
        begin: begins what can be computed apart; the results are the same wherever that is.
        rows: opens the ledger's rows where they are computed with; None where that is in this process.
    """
    refuse_shard(ledger)
    open_rows: OpenRows = rows or (lambda: nullcontext(ledger))
    expected = NOTHING_MASKED if unmask else hidden_names(ledger)
    read_checked = begin(partial(read_checks, open_rows, expected))
    view = view_of(ledger, beside, unmask)
    plan, trials = view.plan, view.trials
    if view.mask != expected:
        read_checked = partial(read_checks, open_rows, view.mask)
    measure_divergence = begin(partial(read_divergence, open_rows, compare_trials(trials, plan), plan))
    outcomes = outcome_table(trials, plan)
    checked, decided = read_checked(), tuple(ledger.decisions())
    rules = replace(analysis_plan(plan), uneven=preparation.uneven_contrasts(checked.shown, plan.pairs))
    measure_families = begin_families(outcomes, rules, {trial.task: trial.family for trial in trials}, begin)
    # items would tell masked arms apart
    measure_items = GroupEvidence if view.mask else begin_items(outcomes, rules, trials, ledger.slot, begin)
    complete = not view.lock.locked or view.lock.complete
    acts, readable = acts_tables(trials, plan), readable_table(trials, plan)
    spent, answered = ledger.accounts.spending_by_purpose(), ledger.accounts.answers_by_model()
    delivered, left_out = untrusted.delivery(view.own_trials), untrusted.find_untrusted(ledger.damage)
    leaks = leak_rows(view.own_plan, ledger.condensations(), view.own_trials)
    audited = audit_rows(ledger, view.own_trials, view.own_plan)
    estimates = estimate(outcomes, rules, acts, readable)
    differences = contrast_rows.difference_rows(outcomes, rules)
    sensitivity = contrast_rows.sensitivity_rows(outcomes, rules)
    monitored = monitor_trials(trials, plan, view.taken, view.stands)
    firings, exposed = play_summary.firing_rows(trials), exposed_rows(trials, plan)
    costs, cost_ratios = play_summary.cost_by_arm(trials), compare_condition_costs(trials, plan.alpha)
    # another process was doing this meanwhile
    diverging, divergence = measure_divergence()
    del measure_divergence  # it holds every trial that was compared
    run = RunFacts(
        diverging=against_inert(diverging),
        lost=untrusted.lost_requests(trials),
        unread=untrusted.unread_trials(trials),
        dormant=untrusted.dormant_trials(trials),
        unseen=plan.reported,
        inapplicable=checked.inapplicable,
        advice=untestable_by_decision(view.mask.rows(decided)),
        fluent=checked.fluent,
        looks=LockedLooks(looks_of(plan), view.taken, complete, plan.tasks) if view.stands else None,
    )
    analysis = judge(estimates, outcomes, rules, run)
    judged = judge_audit(
        trials,
        plan,
        analysis.estimates,
        lambda margin: (
            analyse(
                outcomes, replace(rules, rules=replace(rules.rules, margin=margin)), run, acts, readable
            ).estimates
        ),
    )
    status: Status = "confirmatory" if view.lock.confirmatory else "exploratory"
    # the last one first: another process may be at the one before it
    by_item, by_family = measure_items(), measure_families()
    notes = (
        *untrusted.alarms(left_out, delivered),
        *leak_notes(view.own_plan, leaks),
        *([judge_sentence(judged)] if judged is not None else []),
        *(f"First requests: {sentence}" for sentence in pair_sentences(audited, ())),
        *_notes(view, analysis),
        *preparation.uneven_damage(checked.damaged, (*plan.pairs, *plan.channel_pairs)),
        *unplayed_notes(run.inapplicable),
        *undecidable_notes(plan, checked.fitting, trials, checked.fluent),
        *play_summary.model_notes(answered, ledger.accounts.temperatures_sent(), plan),
        *ledger.accounts.limits_refused(),
    )
    return Results(
        **{name: getattr(plan, name) for name in _OF_PLAN},
        status=status,
        effects=dict(rules.effects),
        verdicts=analysis.verdicts,
        utility=analysis.utility,
        hypotheses=analysis.hypotheses(plan.primary, plan.channel_pairs, rules.uneven),
        estimates=analysis.estimates,
        lock=view.lock,
        multiplicity=multiplicity(analysis.estimates, plan, status),
        monitoring=monitored,
        differences=differences,
        sensitivity=sensitivity,
        task_families=by_family.rows,
        items=by_item.rows,
        heterogeneity=(*by_family.spreads, *by_item.spreads),
        banks=contrast_rows.bank_rows(outcomes, rules, plan),
        divergence=divergence,
        judged=judged,
        failure_modes=coded_modes(ledger, view),
        cells=cell_rows(trials, plan),
        errors=analysis.errors,
        attrition=play_summary.attrition(trials, plan, view.never),
        agent_failures=play_summary.agent_failures(trials, plan),
        delivery=delivered,
        untrusted=left_out,
        empty_slots=view.mask.undone(analysis.empty_slots),
        manipulation=checked.damaged,
        decision=decision_rows(decided),
        firings=firings,
        funnel=funnel_rows(trials, plan),
        per_exposure=exposed,
        audit=audited,
        leakage=view.own_plan.leakage,
        leaks=leaks,
        condensation=preparation.condensation_rows(ledger.condensations()),
        gates=dict(plan.gates),
        strains=preparation.strain_rows(ledger.condensations()),
        people=preparation.people_rows(ledger),
        making=making_rows(plan, ledger.condensations(), ledger.accounts.used_by_purpose()),
        contrasts_say=contrast_lines(plan),
        factors=factor_rows(rules, analysis.estimates),
        uncrossed=missing_arms(rules),
        forks=inert_artifact(plan, analysis.verdicts),
        # the subsets would name the arms
        ablation=None
        if view.mask
        else ablation_rows(plan, rules, outcomes, trials, ledger.condensations(), spent, last_coded(ledger)),
        shared_cells=tuple(play_summary.shared_cells(view.own_trials, view.own_plan)),
        notes=notes,
        cost=costs,
        cost_ratios=cost_ratios,
        preparation=play_summary.preparation_costs(spent),
        models=answered,
        reproduce=(
            REPEAT_CALL if from_python(ledger) else "memtrial run spec.resolved.yaml",
            "memtrial report .",
        ),
    )


def _notes(view: View, analysis: Analysis) -> list[str]:
    notes = []
    done, planned = len(view.trials), view.plan.trials - sum(view.never.values())
    if done < planned and not (view.taken and view.taken[-1].stop):
        notes.append(f"The run is not finished: {done} of {planned} trials have been played.")
    notes += [*view.notes, *view.plan.notes]
    if not view.mask:  # the analysis names the positive control
        notes += analysis.notes
    return notes + [
        f"{e.backbone}, {e.arm}: {PLACEBO} is a placebo and lowers the score: wording alone moved the agent"
        for e in analysis.estimates
        if (e.estimand, e.condition) == ("drop", PLACEBO) and e.backbone != ALL
        if e.effect(view.plan.alpha) > 0
    ]


UNADJUSTED = ("sensitivity analyses", "task-by-task differences", "divergence of actions", "banks")
"""What a report holds besides families: exploratory in every run, intervals and p-values unadjusted."""


def multiplicity(estimates: Sequence[Estimate], plan: RunPlan, status: str) -> Multiplicity:
    """The key `multiplicity` of the results; no family of an exploratory run is confirmatory."""
    decides = "confirmatory" if status == "confirmatory" else "exploratory: no lock stands"
    listed = tuple(
        ListedFamily(**asdict(family), claim=decides if family.confirmatory else "secondary")
        for family in families(estimates, plan.alpha)
    )
    return Multiplicity(
        primary=next((family.name for family in listed if family.role == "primary"), None),
        alpha=plan.alpha,
        looks=plan.looks,
        order=tuple(family.name for family in listed if family.order is not None),
        gatekeeping="serial: a family is confirmatory only if all hypotheses before it were rejected",
        families=listed,
        exploratory=UNADJUSTED,
    )
