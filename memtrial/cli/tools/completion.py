"""`completion`: a script for a shell, with every verb and option in it, so that to complete loads nothing.

A shell runs this at each start: the words stand in a file, which `python -m tests.house.made_pages` makes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from memtrial.cli.app import VERBS, application
from memtrial.console.standard_output import put_exact

Shell = Literal["bash", "zsh", "fish"]
HOW: Mapping[Shell, str] = {
    "bash": 'eval "$(memtrial completion bash)"    # a line for ~/.bashrc',
    "zsh": 'eval "$(memtrial completion zsh)"    # a line for ~/.zshrc, below compinit',
    "fish": "memtrial completion fish | source    # a line for ~/.config/fish/config.fish",
}


WORDS = Path(__file__).with_name("completion_words.json")


@dataclass(frozen=True, slots=True)
class VerbWords:
    """What may follow a verb: the words that its argument chooses from, and its options with their help."""

    words: tuple[str, ...]
    options: Mapping[str, str]


def print_completion(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.", metavar="SHELL")],
) -> None:
    """Print a script that completes verbs, options and choices in your shell; make it anew after an upgrade.

    Put `eval "$(memtrial completion bash)"` into ~/.bashrc (zsh: the same in ~/.zshrc; fish: `memtrial
    completion fish | source`).
    """
    kept = json.loads(WORDS.read_text(encoding="utf-8"))
    verbs = {verb: VerbWords(tuple(after["words"]), after["options"]) for verb, after in kept.items()}
    lines = _fish(verbs) if shell == "fish" else _bash(verbs, zsh=shell == "zsh")
    put_exact("\n".join((f"# {HOW[shell]}", *lines)))


def words_text() -> str:
    """What the file holds: of every verb its words, as its function declares them. Loads all verbs."""
    after = {verb: asdict(read_words(verb)) for verb in VERBS}
    return json.dumps(after, indent=1, ensure_ascii=False) + "\n"


def read_words(verb: str) -> VerbWords:
    """The choices and options of a verb, as its function declares them."""
    command = typer.main.get_group(application(verb)).commands[verb]
    module, _, function = VERBS[verb][0].partition(":")
    types = get_type_hints(getattr(import_module(f"memtrial.cli.{module}"), function))
    words: list[str] = []
    options = {"--help": "Show what there is."}
    for parameter in command.params:
        long = [option for option in parameter.opts if option.startswith("--")]
        if long:
            options[long[0]] = str(getattr(parameter, "help", "") or "")
        elif parameter.param_type_name == "argument":
            words += _choices(types[parameter.name or ""])
    return VerbWords(tuple(words), options)


def _choices(annotation: Any) -> list[str]:
    """The words of a Literal, also of one that may be left out."""
    if get_origin(annotation) is Literal:
        return list(map(str, get_args(annotation)))
    return [word for part in get_args(annotation) for word in _choices(part)]


def _bash(verbs: Mapping[str, VerbWords], zsh: bool) -> Iterator[str]:
    if zsh:
        yield "autoload -U +X bashcompinit && bashcompinit"
    yield "_memtrial_words() {"
    yield "  local current=${COMP_WORDS[COMP_CWORD]} words='' options=''"
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f"    COMPREPLY=( $(compgen -W '{' '.join(verbs)} --help --version' -- \"$current\") ); return"
    yield "  fi"
    yield "  case ${COMP_WORDS[1]} in"
    for verb, after in verbs.items():
        yield f"    {verb}) words='{' '.join(after.words)}' options='{' '.join(after.options)}';;"
    yield "  esac"
    yield "  case $current in"
    yield '    -*) COMPREPLY=( $(compgen -W "$options" -- "$current") );;'
    yield '    *) COMPREPLY=( $(compgen -W "$words" -- "$current") $(compgen -f -- "$current") );;'
    yield "  esac"
    yield "}"
    yield "complete -o filenames -F _memtrial_words memtrial"


def _fish(verbs: Mapping[str, VerbWords]) -> Iterator[str]:
    for verb, after in verbs.items():
        about = VERBS[verb][1]
        yield f"complete -c memtrial -n __fish_use_subcommand -f -a {verb} -d {_quoted(about)}"
        seen = f"-n '__fish_seen_subcommand_from {verb}'"
        if after.words:
            yield f"complete -c memtrial {seen} -a '{' '.join(after.words)}'"
        for option, text in after.options.items():
            yield f"complete -c memtrial {seen} -l {option.removeprefix('--')} -d {_quoted(text)}"


def _quoted(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{plain}'"
