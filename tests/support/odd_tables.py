"""Odd tables of outcomes: those that are refused with one line, and those that still have a result."""

from dataclasses import dataclass, field
from typing import Any

TASKS = [f"t{i}" for i in range(14)]


def long(
    header: str = "task,arm,score", arms: tuple[str, ...] = ("none", "memory"), n: int = 14, **cells: Any
) -> str:
    """A plain table: the second arm solves all but every fifth task, the first every third."""
    lines = [header]
    for task in TASKS[:n]:
        for place, arm in enumerate(arms):
            number = int(task[1:])
            solved = int(number % 5 != 0) if place else int(number % 3 == 0)
            lines.append(cells.get(arm, "{task},{arm},{solved}").format(task=task, arm=arm, solved=solved))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Refused:
    """A table, or an option on it, that is refused: the words of the line."""

    name: str
    content: str | bytes
    says: tuple[str, ...]
    asked: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)
    file: str = "table.csv"


PLAIN = long()
NOISY = PLAIN.replace("t3,memory,1", "t3,memory,{}")
ARRAY = '[{"task": "t1", "arm": "a", "score": 1},\n {"task": "t1", "arm": "b", "score": 0}]\n'
REPEATED = PLAIN + "t1,memory,1\nt1,memory,0\nt2,none,0\n"
DAMAGED = "task,arm,condition,score\n" + "".join(
    f"{task},{arm},{condition},{int(task[1:]) % k > 0:d}\n"
    for task in TASKS
    for arm, condition, k in (
        ("none", "without", 2),
        ("a", "intact", 5),
        ("a", "filler", 3),
        ("b", "intact", 4),
        ("b", "filler", 2),
    )
)
APART = "task,arm,condition,score\n" + "".join(
    f"{task},base,intact,1\n{task},x,corrupt,{int(task[1:]) % 2}\n" for task in TASKS
)
ATTEMPTS = "task,arm,trial,success\n" + "".join(
    f"{task},{arm},{trial},{int(trial >= int(task[1:]) % (3 + place))}\n"
    for task in TASKS
    for place, arm in enumerate(("memory", "retry"))
    for trial in range(4)
)

REFUSED = (
    Refused("empty file", "", ("is empty",)),
    Refused("only blanks", "\n \n", ("is empty",)),
    Refused("header only", "task,arm,score\n", ("no rows",)),
    Refused("one column", "task\nt1\nt2\n", ("one column", "'task'")),
    Refused("binary", b"\x00\x01\x02PK\x03" * 50, ("binary",)),
    Refused("no parquet", b"task,arm\n", ("cannot be read",), file="table.parquet"),
    Refused("broken json", '{"task": 1,\n', ("cannot be read",), file="table.jsonl"),
    Refused("ragged row", PLAIN + "t9,memory\n", ("cannot be read", "3")),
    Refused("doubled header", "task,arm,arm,score\nt1,a,b,1\n", ("'arm'", "names of their own")),
    Refused("no task", "arm,score\na,1\nb,0\n", ("--task-column", "'arm', 'score'")),
    Refused("no arm", "task,score\nt1,1\nt2,0\n", ("--arm-column",)),
    Refused("no score", "task,arm,tokens\nt1,a,1\nt2,b,0\n", ("--score-column", "'tokens'")),
    Refused(
        "two scores", "task,arm,reward,solved\nt1,a,1,0\nt1,b,0,0\n", ("'reward', 'solved'", "--score-column")
    ),
    Refused(
        "task and task_id", "task,task_id,arm,score\nx,1,a,1\nx,2,a,0\nx,1,b,1\nx,2,b,1\n", ("--task-column",)
    ),
    Refused(
        "two repeats",
        "task,arm,run,seed,score\nt,a,0,1,1\nt,a,1,1,1\nt,b,0,2,1\n",
        ("'seed', 'run'", "--repeat-column"),
    ),
    Refused(
        "named column is not there",
        PLAIN,
        ("--score-column", "no such column"),
        {"columns": {"score": "wins"}},
    ),
    Refused("one column for two", PLAIN, ("cannot be both",), {"columns": {"score": "task", "task": "task"}}),
    Refused("text score", NOISY.format("maybe"), ("row 8", "'maybe'", "--score-column")),
    Refused("infinite score", NOISY.format("inf"), ("row 8", "'inf'")),
    Refused("negative score", NOISY.format("-0.5"), ("row 8", "from 0 to 1")),
    Refused(
        "commas and points",
        "task;arm;score\nt1;a;0,5\nt1;b;0.7\n",
        ("row 1 ", "'0,5'"),
        {"reference": "a"},
    ),
    Refused("per cent signs", NOISY.format("85%"), ("row 8", "'85%'", "--score-column")),
    Refused("an array that breaks off", ARRAY[:-3], ("cannot be read", "no JSON"), file="table.json"),
    Refused("an array of numbers", "[1, 2]", ("a row", "row 1 is int"), file="table.json"),
    Refused("columns of JSON", '{"columns": ["task"], "data": [[1]]}', ("other JSON", "'columns', 'data'")),
    Refused("two arrays in one", '{"a": [{"task": 1}], "b": [{"task": 1}]}', ("other JSON", "'a', 'b'")),
    Refused("a workbook", b"PK\x03\x04" + bytes(40), ("workbook", "CSV UTF-8"), file="table.xlsx"),
    Refused("a workbook of 2003", b"\xd0\xcf\x11\xe0" + bytes(40), ("workbook",), file="table.xls"),
    Refused("a title above the header", f"Our results,,\n{PLAIN}", ("'Our results' alone", "above")),
    *(
        Refused(f"scale {scale:g}", PLAIN, ("--scale ", f"got {scale:g}"), {"scale": scale})
        for scale in (0.0, -1.0, float("nan"), float("inf"))
    ),
    Refused("percentages", PLAIN.replace(",1\n", ",85\n"), ("--scale 100", "row 1 holds '85' (and")),
    Refused("over the full score", PLAIN.replace(",1\n", ",120\n"), ("from 0 to 100",), {"scale": 100.0}),
    Refused(
        "no score at all", PLAIN.replace(",1\n", ",\n").replace(",0\n", ",nan\n"), ("no row has a score",)
    ),
    Refused("no task in a row", PLAIN + ",memory,1\n", ("row 29", "'task'")),
    Refused("no arm in a row", PLAIN + "t1,,1\n", ("row 29", "'arm'")),
    Refused("one arm", long(arms=("memory",)), ("'memory'", "two")),
    Refused("which is the reference", long(arms=("gpt", "claude")), ("--reference", "'gpt', 'claude'")),
    Refused("two references", long(arms=("none", "no_memory", "a")), ("--reference", "'none', 'no_memory'")),
    Refused("unknown reference", PLAIN, ("--reference nobody", "'none', 'memory'"), {"reference": "nobody"}),
    Refused("doubled rows", REPEATED, ("'t1', 'memory' has 3 rows", "1 more", "--number-repeats")),
    Refused("copied rows", PLAIN + PLAIN.partition("\n")[2], ("has 2 rows", "27 more", "take them out")),
    Refused(
        "repeats that tell nothing",
        long("task,arm,run,score", none="{task},{arm},1,{solved}", memory="{task},{arm},1,{solved}")
        + "t0,none,1,1\n",
        ("has 2 rows", "'run'"),
    ),
    Refused("attempts", ATTEMPTS, ("'trial'", "--at 3", "--repeat-column trial")),
    Refused("no such attempt", ATTEMPTS, ("--at 9", "'0', '1', '2', '3'"), {"at": "9"}),
    Refused("attempt without a column", PLAIN, ("--at 1", "--repeat-column"), {"at": "1"}),
    Refused(
        "ids of rows",
        "id,arm,score\n" + "".join(f"{i},{'ab'[i % 2]},1\n" for i in range(20)),
        ("'id'", "--task-column"),
        {"reference": "a"},
    ),
    Refused(
        "arms by the hundred",
        "task,arm,score\n" + "".join(f"t,a{i},1\n" for i in range(200)),
        ("200", "--arm-column"),
    ),
    Refused(
        "backbones by the thousand",
        "task,backbone,arm,score\n" + "".join(f"t,b{i},{arm},1\n" for i in range(2_000) for arm in "ab"),
        ("2,000", "60 at most", "--backbone-column"),
        {"reference": "a"},
    ),
    Refused("nothing intact", DAMAGED.replace("intact", "easy"), ("--intact", "'easy'")),
    Refused("nothing beside intact", APART, ("'condition'", "nothing to compare", "--arm-column condition")),
    Refused(
        "a reference apart",
        "task,arm,score\n" + "".join(f"{t},a,1\n{t},b,0\n{t}x,none,1\n" for t in TASKS),
        ("'none'", "nothing to compare", "--reference"),
    ),
    Refused(
        "two over the score",
        PLAIN.replace("t1,memory,1", "t1,memory,7").replace("t4,memory,1", "t4,memory,8"),
        ("'7' (and 1 more row)",),
    ),
    Refused("unknown intact", DAMAGED, ("is called whole", "--intact"), {"intact": "whole"}),
    Refused("damage to no memory", DAMAGED + "t1,none,filler,1\n", ("'none'", "'filler'")),
    Refused("no condition in a row", DAMAGED + "t1,a,,1\n", ("condition", "'a'")),
    Refused("a pair of nobody", DAMAGED, ("--pairs", "'a', 'b'"), {}, {"pairs": ("a:c",)}),
    Refused("a pair of nobody without conditions", PLAIN, ("--pairs",), {}, {"pairs": ("none:nobody",)}),
    Refused(
        "two controls without conditions",
        long(arms=("none", "memory", "more"), more="{task},more,1"),
        ("--pairs names 'none', 'memory'", "one at a time"),
        {},
        {"pairs": ("memory:none", "more:memory")},
    ),
    Refused("an arm that is not there", PLAIN, ("--arms nobody", "'none', 'memory'"), {"arms": ("nobody",)}),
    Refused(
        "a column that is not there", PLAIN, ("--where needs COLUMN=VALUE", "got 'x=1'"), {"where": ("x=1",)}
    ),
    Refused("no such value", PLAIN, ("--where arm=x", "'memory'"), {"where": ("arm=x",)}),
    *(
        Refused(f"range {text}", PLAIN, ("--range needs LOW,HIGH", f"got {text!r}"), {"range": text})
        for text in ("5", "5,1", "a,b", "0,inf", "1,2,3")
    ),
    Refused("range and scale", PLAIN, ("--range 1,5", "--scale 5"), {"range": "1,5", "scale": 5.0}),
    Refused("outside the range", PLAIN, ("from 1 to 5", "row 2 holds '0'"), {"range": "1,5"}),
    Refused("a pickle", b"\x80\x04\x95" + bytes(40), ("pickle", "never opened"), file="table.pkl"),
    Refused("a pickle called a log", b"\x80\x04\x95" + bytes(40), ("pickle",), file="table.eval"),
    Refused("primary without conditions", PLAIN, ("--primary", "no condition"), {}, {"primary": ("mask",)}),
    Refused("unknown primary", DAMAGED, ("--primary mask", "'filler'"), {}, {"primary": ("mask",)}),
    Refused(
        "unknown positive control",
        DAMAGED,
        ("--positive-control gold", "'a', 'b'"),
        {},
        {"positive_control": "gold"},
    ),
    Refused("margin", PLAIN, ("margin",), {}, {"margin": 1.5}),
    Refused("alpha", PLAIN, ("alpha",), {}, {"alpha": 0.0}),
    Refused("seed", PLAIN, ("--seed takes a whole number from 0", "got -1"), {}, {"seed": -1}),
    Refused("flips", PLAIN, ("--flips takes a whole number from 1", "got 0"), {}, {"flips": 0}),
    Refused(
        "two clusters",
        PLAIN.replace("\n", ",c\n")
        .replace("score,c", "score,family")
        .replace("t1,memory,1,c", "t1,memory,1,d"),
        ("'t1'", "one cluster"),
        {"columns": {"cluster": "family"}},
    ),
    Refused(
        "error column of numbers",
        PLAIN.replace("\n", ",0.3\n").replace("score,0.3", "score,error"),
        ("--error-column", "flags"),
        {"columns": {"error": "error"}},
    ),
)
