"""Tables as strangers write them, each with the difference that it holds, or with what has to be asked."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

N = 14
BASE = [int(number % 3 == 0) for number in range(N)]
MEMORY = [int(number % 5 != 0) for number in range(N)]
GAIN = (sum(MEMORY) - sum(BASE)) / N
PASS = ("fail", "pass")
RATED = {0: 2, 1: 5}
"""A rating from 1 to 5 for a failure and for a success: the gain is three quarters of the other."""


@dataclass(frozen=True)
class Stranger:
    """Files by name, the estimate of the second arm over the first, and the options that are asked for.

    Args:
        answers: the words that the command has to end in; empty where nothing is unclear.
    """

    name: str
    files: Mapping[str, str]
    estimate: float = GAIN
    answers: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)


def rows(line: Callable[[int, str, int], str], arms: tuple[str, str] = ("baseline", "memory")) -> str:
    return "".join(
        line(number, arm, scores[number]) + "\n"
        for number in range(N)
        for arm, scores in zip(arms, (BASE, MEMORY), strict=True)
    )


def wide(head: str, line: Callable[[int, int, int], str], end: str = "") -> str:
    lines = (line(number, BASE[number], MEMORY[number]) for number in range(N))
    return "\n".join([head, *lines]) + "\n" + end


def jsonl(line: Callable[[int, int], dict[str, object]], scores: list[int]) -> str:
    return "".join(json.dumps(line(number, score)) + "\n" for number, score in enumerate(scores))


def sample(number: int, score: int, way: str) -> str:
    row = {
        "doc_id": number,
        "doc": {"question": "How many?", "answer": "12"},
        "target": "12",
        "arguments": {"gen_args_0": {"arg_0": "Q: How many?"}},
        "resps": [["12"]],
        "filtered_resps": ["12"],
        "filter": way,
        "metrics": ["exact_match"],
        "doc_hash": f"{number:064x}",
        "exact_match": float(score),
    }
    return json.dumps(row) + "\n"


def samples(scores: list[int], flexible: int = 0) -> str:
    """Of lm-eval: each document is scored by two filters."""
    strict = "".join(sample(number, score, "strict-match") for number, score in enumerate(scores))
    return strict + "".join(
        sample(number, max(score, flexible), "flexible-extract") for number, score in enumerate(scores)
    )


DAY = "2026-01-01T00-00-00.000000"
ARRAY = json.dumps(
    [
        {"task": f"t{number}", "agent": arm, "success": won, "steps": [1]}
        for arm, scores in (("baseline", BASE), ("memory", MEMORY))
        for number, won in enumerate(scores)
    ],
    indent=1,
)
STRANGERS = (
    Stranger("an array of JSON", {"t.json": ARRAY}),
    Stranger("an array within an object", {"t.json": f'{{"config": {{"k": 3}}, "results": {ARRAY}}}'}),
    Stranger(
        "JSON lines called JSON",
        {
            name: jsonl(lambda n, won: {"id": n, "solved": bool(won)}, scores)
            for name, scores in (("baseline.json", BASE), ("memory.json", MEMORY))
        },
    ),
    Stranger(
        "a header that comes again",
        {
            "t.csv": "task,agent,success\n"
            + rows(lambda n, arm, won: f"t{n},{arm},{won}").replace("t9,b", "task,agent,success\nt9,b")
        },
        said={"rows": str(2 * N)},
    ),
    Stranger(
        "brackets and signs around a column an arm",
        {
            "t.csv": wide(
                "Task,Score (baseline) %,Score (ReAct (v2)) %", lambda n, b, m: f"{n},{100 * b},{100 * m}"
            )
        },
        answers=("--scale", "100"),
        said={"arm": "'baseline', 'ReAct (v2)'"},
    ),
    Stranger(
        "yes and no in German",
        {"t.csv": "Task;Agent;gelöst\n" + rows(lambda n, arm, won: f"{n};{arm};{'ja' if won else 'Nein'}")},
        answers=("--score-column", "gelöst"),
    ),
    Stranger(
        "a German spreadsheet",
        {
            "Ergebnisse.csv": "\ufeff"
            + '"Task ID";"Method";"Score";;\r\n'
            + rows(lambda n, arm, won: f'"T{n}";"{arm}";"{"1,0" if won else "0,5"}";;\r')
            + ";;;;\r\n"
        },
        estimate=GAIN / 2,
        said={"absent": "none"},
    ),
    Stranger(
        "per cent signs",
        {"t.csv": "Instance,System,Accuracy\n" + rows(lambda n, arm, won: f"i{n},{arm},{75 * won + 20} %")},
        estimate=GAIN * 0.75,
    ),
    Stranger("a column an arm", {"t.csv": wide("task,baseline,memory", lambda n, b, m: f"t{n},{b},{m}")}),
    Stranger(
        "columns of repeats",
        {
            "t.csv": wide(
                "Question ID,baseline_run1,baseline_run2,memory_run1,memory_run2",
                lambda n, b, m: f"q{n},{b},{b},{m},{m}",
            )
        },
        said={"repeat": "2 values"},
    ),
    Stranger(
        "repeats as pandas and R number them",
        {"t.csv": wide("task,baseline,baseline.1,mem,mem.1", lambda n, b, m: f"{n},{b},{b},{m},{m}")},
        said={"repeat": "2 values"},
    ),
    Stranger(
        "a leaderboard",
        {
            "t.csv": wide(
                "Task,ReAct (pass@1),ReAct + memory (pass@1),ReAct tokens,ReAct + memory tokens",
                lambda n, b, m: f"Task {n},{b},{m},1{n},2{n}",
                "Average,0.36,0.79,17,27\n",
            )
        },
        answers=("--reference", "ReAct"),
        said={"task": "14 tasks"},
    ),
    Stranger(
        "models side by side",
        {"t.csv": wide("problem,gpt-4o,gpt-5", lambda n, b, m: f"p{n},{PASS[b]},{PASS[m]}")},
        answers=("--reference", "gpt-4o"),
    ),
    Stranger(
        "ratings",
        {
            "t.csv": "prompt_id,model,judge_score\n"
            + rows(lambda n, arm, won: f"{n},{arm},{RATED[won]}", ("llama", "llama+mem"))
            + "99,llama,1\n99,llama+mem,1\n"
        },
        estimate=GAIN * N / (N + 1) * 0.75,
        answers=("--reference", "llama", "--range", "1,5"),
    ),
    Stranger(
        "samples of lm-eval",
        {
            f"baseline/samples_gsm8k_{DAY}.jsonl": samples(BASE, flexible=1),
            f"memory/samples_gsm8k_{DAY}.jsonl": samples(MEMORY, flexible=1),
            f"memory/results_{DAY}.json": "{}",
        },
        answers=("--where", "filter=strict-match"),
    ),
    Stranger(
        "two benchmarks of lm-eval",
        {
            f"baseline/samples_gsm8k_{DAY}.jsonl": samples(BASE),
            f"memory/samples_gsm8k_{DAY}.jsonl": samples(MEMORY),
            f"baseline/samples_arc_easy_{DAY}.jsonl": samples(BASE),
            f"memory/samples_arc_easy_{DAY}.jsonl": samples(MEMORY),
        },
        asked=("--where", "filter=strict-match"),
        said={"task": "28 tasks"},
    ),
    Stranger(
        "a file an arm",
        {
            "out/no_memory.csv": "task,success\n" + "".join(f"{n},{won}\n" for n, won in enumerate(BASE)),
            "out/reflexion.csv": "task,success\n" + "".join(f"{n},{won}\n" for n, won in enumerate(MEMORY)),
        },
        said={"arm": "'no_memory', 'reflexion'"},
    ),
    Stranger(
        "correct and incorrect",
        {
            "t.csv": "sample_id,epoch,solver,model,score\n"
            + rows(lambda n, arm, won: f"{n},1,{arm},m,{'C' if won else 'I'}", ("generate", "with_memory"))
        },
        answers=("--reference", "generate"),
    ),
    Stranger(
        "an index without a name",
        {"t.csv": ",task,arm,score\n" + rows(lambda n, arm, won: f"{n},t{n},{arm},{won}")},
    ),
    Stranger(
        "pass@1 and money",
        {
            "t.csv": "task_id,agent,pass@1,cost_usd\n"
            + rows(lambda n, arm, won: f"Code/{n},{arm},{won}.0,0.0{n}")
        },
    ),
    Stranger(
        "names in German",
        {
            "t.csv": "Aufgabe;Verfahren;Punkte\n"
            + rows(lambda n, arm, won: f"A{n};{arm};{100 * won}", ("ohne", "mit"))
        },
        answers=(
            *("--task-column", "Aufgabe", "--arm-column", "Verfahren", "--score-column", "Punkte"),
            *("--reference", "ohne", "--scale", "100"),
        ),
    ),
    Stranger(
        "rewards with a sign",
        {"t.csv": "env_id,policy,reward\n" + rows(lambda n, arm, won: f"e{n},{arm},{2 * won - 1}")},
        answers=("--range=-1,1",),
    ),
    Stranger(
        "wide, decimal commas and signs",
        {"t.csv": wide("Task;Baseline;Memory", lambda n, b, m: f"{n};{62 * b},5 %;{62 * m},5 %")},
        estimate=GAIN * 0.62,
    ),
    Stranger(
        "rows that are not there",
        {
            "t.jsonl": "".join(
                json.dumps({"instance_id": n, "agent": arm, "resolved": bool(won)}) + "\n"
                for n in range(N)
                for arm, won in (("baseline", BASE[n]), ("memory", MEMORY[n]))
                if (n, arm) != (3, "memory")
            )
        },
        estimate=(sum(MEMORY) - sum(BASE)) / (N - 1),  # the third is solved in both
        said={"absent": "1 row that other tasks have: 'memory' 1"},
    ),
    Stranger(
        "a pair without conditions",
        {"t.csv": wide("task,plain,baseline,memory", lambda n, b, m: f"{n},0,{b},{m}")},
        asked=("--pairs", "baseline:memory"),
        estimate=-GAIN,
        said={"arm": "'baseline', 'memory'", "reference": "'memory'"},
    ),
    Stranger(
        "arms of a wide table with other numbers",
        {"t.csv": wide("id,seed_words,with mem,without mem,level", lambda n, b, m: f"{n},{n},{m},{b},0.5")},
        asked=("--arms", "with mem,without mem"),
        answers=("--reference", "without mem"),
    ),
    Stranger(
        "a file a model",
        {
            "b.csv": "task,model,won\n" + "".join(f"{n},llama,{won}\n" for n, won in enumerate(BASE)),
            "m.csv": "task,model,won\n" + "".join(f"{n},qwen,{won}\n" for n, won in enumerate(MEMORY)),
        },
        asked=("--reference", "llama"),
        said={"arm": "column 'model'"},
    ),
    Stranger(
        "a file an arm, of one model",
        {
            "plain.csv": "task,model,won\n" + "".join(f"{n},llama,{won}\n" for n, won in enumerate(BASE)),
            "notes.csv": "task,model,won\n" + "".join(f"{n},llama,{won}\n" for n, won in enumerate(MEMORY)),
        },
        asked=("--reference", "plain"),
        said={"arm": "column 'file'", "backbone": "'llama'"},
    ),
)
