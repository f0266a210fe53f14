"""What stops a run, and with which exit code; and the tree of all exceptions of the product.

A SpecFault ends a command with exit code 2, a RunFault with 1; others are turned into one of them, or
counted as an error of a trial. Made by `python -m tests.house.made_pages`:

OSError
  ForeignFault (memtrial/private_file.py): What stands in the place of a file or folder of ours is …
ValueError
  AnswerFault (memtrial/worlds): No answer can be read in a reply
  CodingFault (memtrial/models): A body cannot be decoded
  ControlFault (prompts): The named file does not hold the control's prompts, or upstream's cue
  CueFault (memtrial/memory): A text that is no cue. The message is one line and says what was needed
  DamageFault (memtrial/outcomes): A file does not hold what it says of itself
  DeskFault (memtrial/pages): A decision that cannot be taken; one line for the person who made it
  DraftFault (perturbations): A draft that cannot be used
  EncodingFault (memtrial/outcomes): The bytes are no such encoding, or end too early
  FixtureFault (gates): A file of fixtures cannot be read. The message is one line
  IndexFault (memtrial/memory): The bytes are no whole index of what was asked for. The message says …
  LogFault (memtrial/transcripts): A log cannot be read. The message is one line and says what was …
  MarkFault (memtrial/delivery): Marks of a request cannot be followed, so that it must not be sent. …
  MarkdownFault (memtrial/memory): The text does not hold exactly one item
  QueryFault (memtrial/pages): An address asks for something that is not there; one line for the …
  QuestionFault (memtrial/worlds): A row that is no question. The message says what was needed, and …
  RepositoryFault (memtrial/repositories): A repository, or a folder of tasks, cannot be read. The …
  ScriptFault (memtrial/models): The answers or faults of a script are invalid, or the server cannot …
  SpecFault (memtrial/faults.py): A wrong call or a wrong spec
  TableFault (memtrial/outcomes): A table or an option that cannot be read as outcomes
  TraceFault (memtrial/agents): A trace file cannot be read. The message names the line, what was …
  TreeFault (memtrial/repositories): A tree that is not written
  TriggerFault (memtrial/memory): A Trigger or a check that does not compile. The message is one …
  TunedFault (prompts): A file of a tuned instruction that cannot be used. One line
  UnbalancedFault (memtrial/delivery): A mark has no partner in its text
  UnknownFault (memtrial/delivery): A span holds what is no item. The message is one line
  WireFault (memtrial/models): A body is not what its format defines, or holds something that cannot …
  YamlFault (memtrial/models): A text is no YAML, or stands for more than it may
RuntimeError
  ChildEnded (memtrial/plugins): The process ended before its work was done; its text says how
  ChildFault (runs): The process has ended, which nobody asked it to
  CommandFault (memtrial/commands): A command could not be run, or left nothing that can be read. …
  HaltFault (memtrial/models): Nothing more may be sent in this session
    SpentFault (memtrial/models): The budget is spent
  LedgerFault (memtrial/ledger): The file is no ledger, is damaged or cannot be opened, or a row …
    AwayFault (memtrial/ledger): The connection broke, so that nobody knows whether the last …
    LeaseFault (memtrial/ledger): This worker was away for longer than its lease
    RivalFault (memtrial/ledger): Two transactions waited for each other, so that this one was undone; …
    TwiceFault (memtrial/ledger): A row would contradict one that is there
  MemoryFault (memtrial/memory): A memory store has no such item, or cannot do what was asked of it. …
  ModelFault (memtrial/models): A model is not available or did not answer
    AgentFault (memtrial/agents): An agent's code broke, or did what no agent may. The message is one …
      AskLimitFault (memtrial/agents): The agent's requests are spent; its episode ends as it stands
    GradeFault (runs): The judge of success answered with nothing that can be read
    ProviderFault (memtrial/models): One request to a provider brought no answer
    ReplyFault (memtrial/models): The model answered, but not in the fields it was asked for
  RelayFault (memtrial/memory_relay): The memory server did what no server may, or is not there. One …
  RunFault (memtrial/faults.py): The run cannot continue
  SetupFault (memtrial/repositories): The set-up of a task failed in a fresh work tree. One line
  StoreFault (memtrial/faults.py): The calls cannot be saved, as on a full disk. Nothing more may be …
  WorldFault (memtrial/worlds): The world broke (a dead JVM, a lost socket). Infrastructure
    UnscoredFault (memtrial/worlds): The world scores nothing
Exception
  ReviewWaits (condensers): So many `drafts` wait for a person; the condensation goes on once all of …
"""

from collections.abc import Iterator
from contextlib import contextmanager

RESUME = "progress is saved; run the same command to resume"
"""How an interrupted run continues: the end of a message."""


class SpecFault(ValueError):
    """A wrong call or a wrong spec: one clear line, exit code 2, nothing written."""


class RunFault(RuntimeError):
    """The run cannot continue: one clear line, exit code 1, progress is saved."""


class StoreFault(RuntimeError):
    """The calls cannot be saved, as on a full disk. Nothing more may be sent: its answer would be lost."""


@contextmanager
def refused(*faults: type[Exception], prefix: str = "") -> Iterator[None]:
    """Within it, these faults are a SpecFault with the same words, after those of `prefix`."""
    try:
        yield
    except faults as fault:
        raise SpecFault(f"{prefix}{fault}") from fault
