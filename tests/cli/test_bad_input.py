"""Bad specs, options, variables and model strings: exit code 2, one clear line, nothing written."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from memtrial.console.escape import one_line
from memtrial.faults import RunFault, SpecFault
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.refusing import Warm, files_in, refused, spec_with
from tests.support.small import SPEC, write_spec


def refusal(path: Path, settings: Sequence[str] = (), variables: Mapping[str, str] | None = None) -> str:
    """The one line with which a spec is refused, and nothing is written."""
    before = files_in(path.parent)
    with pytest.raises((SpecFault, RunFault)) as caught:
        check_spec(load_spec(path, settings, variables or {}), variables or {})
    line = one_line(str(caught.value))
    assert files_in(path.parent) == before
    return line


def bomb(levels: int = 11) -> str:
    """A few lines of aliases that stand for ten to the power of `levels` texts."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


def merging(levels: int = 24) -> str:
    """Mappings that merge the one before twice."""
    lines = ["b0: &b0 {x: 1}"]
    lines += [f"b{n}: &b{n} {{<<: [*b{n - 1}, *b{n - 1}], k{n}: 1}}" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a spec is a YAML mapping"),
        ("- 1\n- 2\n", "holds list"),
        ("hello", "holds str"),
        (b"\xff\xfe\x00\x01", "UTF-8"),
        (SPEC.encode("utf-16"), "UTF-8"),
        (b"name: a\x00b\n", "YAML is needed"),
        ("# " + "x" * 2_000_000, "larger than 1 MiB"),
        (bomb() + SPEC, "aliases"),
        (merging() + SPEC, "aliases"),
        (SPEC.replace("[simulated/reader, simulated/ignorer]", "*a10").replace("\nname", bomb(), 1), "YAML"),
        ("&a\nname: *a\n", "aliases"),
        (SPEC.replace("arms: [none", "arms: &z [*z, none"), "aliases"),
        ("a: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        (SPEC + "seed: 4\n", "key seed stands twice"),
        (SPEC + "analysis: {margin: 0.1, margin: 0.2}\n", "key margin stands twice"),
        (SPEC + "analysis:\n\tmargin: 0.1\n", "line 12"),
        (SPEC + "---\nname: b\n", "single document"),
        (SPEC + "question: *nope\n", "aliases are not read"),
        (SPEC + "question: !!python/object/apply:os.system ['touch pwned']\n", "constructor"),
        (SPEC + "3: x\n", "3"),
        (SPEC + "? [a, b]\n: x\n", "unhashable key"),
        (SPEC + "question: 2020-13-41\n", "month"),
        (SPEC + "question: " + "9" * 5000 + "\n", "digits"),
        (SPEC + 'question: "\\ud800"\n', "U+D800"),
        (SPEC + '"\\e[31mred": 1\n', "U+001B"),
        (SPEC.replace("simulated/reader", '"simulated/\\e[31m"'), "U+001B at place 11"),
        (SPEC + "colour: " + "x" * 100_000 + "\n", "colour: no such key"),
        (SPEC + "? " + "k" * 100_000 + "\n: 1\n", "no such key"),
        (SPEC.replace("[simulated/reader, simulated/ignorer]", "x" * 500_000), "provider/name"),
        (SPEC.replace("environment:", "environmen:"), "environment: is needed and missing"),
        (
            SPEC.partition("environment:")[0]
            + "environment: {world: own.py:World, train: 8}\nbackbone: a/b\n",
            "got train: write settings: {train: …}",
        ),
        (SPEC.replace("backbone:", "backbon:"), "backbone: is needed: the model that is asked, or own/NAME"),
        (SPEC.replace("seed: 3", "seed: 3.5"), "seed"),
        (SPEC.replace("seed: 3", "seed: .nan"), "finite number"),
        (SPEC.replace("seed: 3", "seed: " + "9" * 400), "seed"),
        (SPEC.replace("seed: 3", "seed: yes"), "seed is a number; got true"),
        (SPEC.replace("name: small", "name: ../../etc"), "a name of letters"),
        (SPEC.replace("name: small", "name: " + "n" * 300), "at most 100"),
    ],
)
def test_bad_specs(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert said in refusal(spec_with(tmp_path, text))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("repeats",), "key=value"),
        (("=3",), "key=value"),
        ((".=3",), "a key of the spec is needed"),
        (("seed.x=3",), "seed holds int"),
        (("seed=[",), "YAML is needed"),
        (("colour=blue",), "-S: colour: no such key"),
        (('name="a\\nb"',), "a name of letters"),
        (("environment=3",), "world is workshop"),
        (("environment={world: 'gone.py:W'}",), "gone.py"),
        (("environment.train=1e9",), "environment.train"),
        (("backbone=[]",), "at least one model string"),
        (("backbone=[simulated/reader, simulated/reader]",), "each once"),
        (("backbone=simulated/reader?uptake=nan",), "share in [0, 1]"),
        (("backbone=simulated/reader?uptake=.5&uptake=.6",), "stands twice"),
        (("backbone=simulated/reader?colour=1",), "no setting colour"),
        (("backbone=anthropic/claude-haiku-4-5",), "ANTHROPIC_API_KEY"),
        (("backbone=openai/gpt-4.1-nano",), "OPENAI_API_KEY"),
        (("backbone=acme/model",), "ACME_BASE_URL"),
        (("backbone=replay/gone",), "ledger.sqlite"),
        (("mode=stream", "traces={source: expert}"), "leave traces.source out"),
        (("cue=upstream",), "control.source"),
        (("retrieval={profile: paper, k: 5}",), "profile: paper sets k"),
        (("retrieval.embedder=word2vec",), "hashing or <provider>/<model>"),
        (("retrieval.embedder=anthropic/x",), "makes no vectors"),
        (("retrieval.embedder=openai/x?dimensions=0",), "dimensions"),
        (("budget.max_cost_usd=-1",), "greater than 0"),
        (("budget.max_cost_usd=.inf",), "finite number"),
        (("budget.prices={x: {input: -1, output: 1}}",), "budget.prices.x.input"),
        (("budget.prices={x: {input: 1}}",), "budget.prices.x.output: is needed"),
        (("analysis.margin=.nan",), "finite number"),
        (("analysis.pairs=[[control, nobody]]",), "two different arms"),
        (("analysis.primary=[corrupt_mask, corrupt_mask]",), "each condition once"),
        (("analysis.x.y=1",), "analysis.x: no such key"),
        (("arms=control",), "a list is needed"),
        (("arms=[3]",), "an arm is a standard one's name"),
        (("arms=[control, control]",), "a name of its own"),
        (("arms=[{name: x, colour: red, condenser: native}]",), "arms.0.colour: no such key"),
        (("arms=[{name: 'a/b', condenser: native}]",), "arms.0.name: a name of letters"),
        (("arms=[{name: x, condenser: native, memory: 'a.py:B'}]",), "either a condenser or a memory"),
        (("arms=[{name: x, condenser: nobody}]",), "needs condenser 'nobody'"),
        (("arms=[{name: x, condenser: native, injection: trigger}]",), "no Trigger"),
        (("conditions=[shuffle]",), "an arm raw"),
        (('condensers={"a\\nb": {kind: native}}',), "a name of letters"),
        (("condensers={native: {kind: magic}}",), "of kind 'magic'"),
        (("condensers.theory={kind: theory, gates: [claim-strength, claim-strength]}",), "name each"),
        (("traces.path=x.jsonl",), "only with it"),
        (("traces.player=simulated/scribe",), "plays tasks"),
        (("engine.call_timeout_s=.nan",), "finite number"),
        (("repeats=1001",), "less than or equal to 1000"),
        (("backbone=simulated/nobody",), "nobody"),
        (("backbone=simulated/scribe",), "simulated/scribe drafts"),
        (("roles={}",), "simulated/reader plays tasks"),
        (("roles.gate=simulated/reader",), "name simulated/examiner"),
        (("arms=[none]",), "at least one arm with memory"),
        (("conditions=[burn]",), "burn"),
        (("condensers={theory: {kind: theory, gates: [taste]}}",), "taste"),
        (("environment={world: chess}",), "chess"),
        (("environment.families=3",), "families"),
        (("traces={source: import}",), "traces.path"),
        (("traces={source: import, path: gone.jsonl}",), "gone.jsonl"),
        (("control={source: gone.py}",), "gone.py"),
        (("environment={world: scienceworld, tasks: [cook-dinner]}",), "ScienceWorld"),
        (("conditions=[filler, filler]",), "each condition once"),
        (("analysis.primary=[without]",), "analysis.primary"),
        (("arms=[{name: x, condenser: oracle, injection: trigger}]",), "holds no Trigger"),
        (("sampling.agent.temperature=-1",), "sampling.agent.temperature"),
        (("sampling.judge.max_tokens=0",), "sampling.judge.max_tokens"),
        (("condensers.raw={kind: raw, gates: [claim-strength]}",), "of kind 'raw' has no gates"),
        (("condensers.raw={kind: raw, source: gone.py}",), "only a native condenser has a source"),
        (
            (
                "condensers.native={kind: native, source: gone.txt}",
                "condensers.theory={kind: theory}",
                "condensers.raw={kind: raw}",
            ),
            "gone.txt",
        ),
    ],
)
def test_bad_settings(tmp_path: Path, settings: tuple[str, ...], said: str) -> None:
    assert said in refusal(write_spec(tmp_path), settings)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"MEMTRIAL_COLOUR": "blue"}, "MEMTRIAL_COLOUR: colour: no such key"),
        ({"MEMTRIAL_SEED": "["}, "MEMTRIAL_SEED: YAML is needed"),
        ({"MEMTRIAL_SEED__X": "1"}, "seed holds int"),
        ({"MEMTRIAL_": "1"}, "a key of the spec is needed"),
        ({"MEMTRIAL_ANALYSIS__MARGIN": "9"}, "MEMTRIAL_ANALYSIS__MARGIN: analysis.margin"),
        ({"MEMTRIAL_BACKBONE": "openai/x", "OPENAI_API_KEY": "sk-not a key"}, "OPENAI_API_KEY holds"),
        ({"MEMTRIAL_BACKBONE": "openai/x", "OPENAI_BASE_URL": "nonsense"}, "is no address"),
        ({"MEMTRIAL_BACKBONE": "openai/x", "OPENAI_BASE_URL": "http://u:hidden@h/v1"}, "a password"),
        ({"MEMTRIAL_BACKBONE": "openai/x", "OPENAI_BASE_URL": "http://h:99999/"}, "is no address"),
        ({"MEMTRIAL_BACKBONE": "anthropic/x", "ANTHROPIC_BASE_URL": "ftp://h"}, "is no address"),
        (
            {
                "MEMTRIAL_BACKBONE": "openai/unheard-of",
                "MEMTRIAL_BUDGET__MAX_COST_USD": "1",
                "OPENAI_API_KEY": "sk-hidden-hidden",
            },
            "a budget needs prices",
        ),
    ],
)
def test_bad_variables(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    line = refusal(write_spec(tmp_path), (), variables)
    assert said in line
    assert "hidden" not in line


@pytest.mark.parametrize(
    "arguments",
    [
        "nonsense",
        "\x1b[31mrun",
        "x" * 5000,
        "run",
        "run small.yaml --nonsense",
        "run gone.yaml",
        "run small.yaml -S backbone=replay/" + "x" * 5000,
        "run folder",
        "run " + "x" * 5000,
        "run small.yaml --limit 0",
        "run small.yaml --max-cost -1",
        "run small.yaml --max-connections 0",
        "run small.yaml --out small.yaml",
        "run small.yaml --out new/deeper/" + "x" * 300,
        "run small.yaml --out .",
        "run small.yaml --clean --out folder",
        "plan small.yaml --pilot gone",
        "perturb small.yaml --kind filler --seed -1",
        "perturb small.yaml --kind explode",
        "status folder --every 0",
        "compare folder",
        "init small.yaml",
        "init small.yaml/deeper.yaml",
        "init new.yaml --provider acme",
        "schema nonsense",
        "serve-scripted --answers simulated/nobody",
        "check small.yaml",
        "check gone.py:Thing",
    ],
)
def test_bad_arguments(warm: Warm, tmp_path: Path, arguments: str) -> None:
    write_spec(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("mine")
    refused(warm, tmp_path, *arguments.split())


def test_a_line_that_is_cut_keeps_its_end(warm: Warm, tmp_path: Path) -> None:
    line = refused(warm, tmp_path, "x" * 5000)
    assert "[...]" in line
    assert line.endswith("--help says what there is")
