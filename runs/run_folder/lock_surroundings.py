"""What stands beside a ledger in its folder, which a lock is compared with."""

from contextlib import suppress
from pathlib import Path

from memtrial.ledger.row_text import LedgerFault, read_mapping
from memtrial.ledger.run_plan import read_lock
from memtrial.models.yaml_text import read_yaml
from memtrial.private_file import read_private
from memtrial.protocol.lock_check import Beside
from memtrial.protocols import LedgerStore
from memtrial.runs.run_folder.code_digest import code_digests
from memtrial.runs.run_folder.folder import OUTSIDE_IDENTITY, SPEC, flat_of

LOCK_FILE = "lock.json"


def beside_of(folder: Path, ledger: LedgerStore) -> Beside | None:
    """What stands beside a ledger; None where nothing is locked, so that nothing has to be read."""
    path = folder / LOCK_FILE
    if read_lock(ledger) is None and not path.exists():
        return None
    body, fault = None, ""
    try:
        body = read_mapping(read_private(path))
    except FileNotFoundError:
        pass
    except OSError as unread:
        fault = f"a file that cannot be read ({unread.strerror or type(unread).__name__})"
    except LedgerFault:
        fault = "a file that is no JSON object"
    # plain YAML, so that a spec that is wrong by now can be compared as well
    spec = None
    with suppress(OSError, ValueError):
        raw = read_yaml(read_private(folder / SPEC).decode())
        if isinstance(raw, dict):
            spec = flat_of({key: value for key, value in raw.items() if key not in OUTSIDE_IDENTITY})
    return Beside(body, code_digests(), spec, fault)
