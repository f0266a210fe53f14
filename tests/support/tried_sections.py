"""A shell agent of which one section of its file decides, tasks in a folder for it, and made-up results."""

from pathlib import Path

from memtrial.views.rows.section_rows import SectionResults, SectionRow, SectionWord

WORKER = """
notes=$(cat HOUSE.md 2>/dev/null)
echo "$notes" | grep -q "green button" && echo pressed > done.txt
exit 0
"""
SECTIONS = ("Lamp", "Door", "Roof", "Sink", "Wall", "Yard", "Gate")
HEADLESS = "# House\n\n"
CHECK = "grep -q pressed done.txt\n"


def write_house(folder: Path, n_sections: int, n_tasks: int) -> Path:
    """The file, the agent and the tasks; of the sections `Lamp` alone matters."""
    body = [
        f"## {name}\n\n{'Press the green button.' if name == 'Lamp' else f'Mind the {name.lower()}.'}\n\n"
        for name in SECTIONS[:n_sections]
    ]
    (folder / "HOUSE.md").write_text(HEADLESS + "".join(body))
    (folder / "worker.sh").write_text(WORKER)
    for number in range(n_tasks):
        task = folder / "things" / f"lamp-{number}"
        task.mkdir(parents=True)
        (task / "prompt.md").write_text(f"Lamp {number} is red.\n")
        (task / "check.sh").write_text(CHECK)
    return folder


def made_results(words: tuple[SectionWord, ...], **more: object) -> SectionResults:
    """Results in which the sections have these words; all but `helps` and `harms` come from the screening."""
    rows = tuple(
        SectionRow(
            number=number,
            name=f"Part {number}",
            line=4 * number,
            last_line=4 * number + 2,
            tokens=20,
            stage="confirmation" if word in ("helps", "harms") else "screening",
            estimate={"helps": 0.3, "harms": -0.3}.get(word, 0.01),
            low=-0.4 if word == "harms" else -0.05,
            high=0.4,
            p=0.01 if word in ("helps", "harms") else 1.0,
            p_equivalence=0.02 if word == "can go" else 1.0,
            word=word,
        )
        for number, word in enumerate(words, 1)
    )
    given: dict[str, object] = {
        "memory": "CLAUDE.md", "agent": "claude", "kind": "section", "simulated": False, "n_tasks": 24,
        "n_screening": 216, "n_confirmation": 432, "n_lost": 0, "solved_whole": 0.7, "solved_without": 0.4,
        "usd": 12.5, "margin": 0.1, "alpha": 0.05, "threshold": 0.2, "most": 6, "room": True,
        "sections": rows,
    }  # fmt: skip
    return SectionResults.model_validate(given | more)
