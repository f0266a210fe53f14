"""What a run folder must be before its rows are shared; where it is not, nothing is written."""

from pathlib import Path

from memtrial.api.shards.shard_run import settle_part
from memtrial.faults import SpecFault, refused
from memtrial.ledger.postgres.database_address import hide_password, refuse_address
from memtrial.ledger.postgres.kept_runs import is_begun
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import plan_in_force
from memtrial.runs.engine.shared_ledger import has_rows, is_on_its_way
from memtrial.runs.run_folder.folder import ELSEWHERE_KEPT, open_for_reading
from memtrial.runs.spec.spec import Spec


def refuse_unfit(folder: Path, spec: Spec, address: str) -> None:
    """The folder's run can go on in this database, and nothing of it would be lost; else SpecFault.

    That is: something answers there; it has the rows of a folder that says they are kept in a database, and
    none beside rows of the folder's own; the folder is no shard; and no draft waits for a person.
    """
    refuse_address(address)
    name = folder.resolve().name
    with refused(LedgerFault):
        begun = is_begun(address, name)
    kept, own = folder / ELSEWHERE_KEPT, has_rows(folder)
    if kept.exists():
        if not begun and not is_on_its_way(folder):
            raise SpecFault(
                f"the rows of {folder} are kept in the database that {kept} names, and there is no run {name}"
                f" in {hide_password(address)}: give --ledger that address, or use --out with another folder"
            )
        return
    if begun and own:
        raise SpecFault(
            f"{folder} holds rows of its own, and {hide_password(address)} has a run {name} that they are no"
            " part of: use --out with a folder of another name, or leave --ledger out"
        )
    prepared = False
    if own:
        with open_for_reading(folder) as (_, ledger):
            settle_part(None, folder, ledger)
            prepared = plan_in_force(ledger) is not None
    if not (prepared or begun) and any(made.review == "human" for made in spec.condensers.values()):
        raise SpecFault(
            "review: human waits for a person in the run's own folder: `memtrial run SPEC --prepare --out"
            f" {folder}` goes first, until no draft waits for `memtrial review {folder}`; then --ledger takes"
            " the run to the database"
        )
