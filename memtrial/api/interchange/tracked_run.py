"""A run's results handed to W&B or to MLflow, by their own packages and under their own settings."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from memtrial.api.interchange.tracked_results import PROJECT, TrackedResults, Tracker
from memtrial.faults import RunFault, SpecFault


def refuse_absent(tracker: Tracker) -> None:
    """SpecFault where the tracker's package is not installed."""
    if find_spec(tracker) is None:
        raise SpecFault(f"--to {tracker} needs its own package: pip install 'memtrial[{tracker}]'")


def track(tracker: Tracker, tracked: TrackedResults, folder: Path) -> str:
    """Hand results over, once: each call is a run of its own there.

    Nothing else is handed over: no code, no prompts, nothing of the machine.

    Args:
        folder: where W&B keeps its files, below `wandb`; MLflow has a place of its own.

    Returns: the run's name or id there.

    Raises:
        RunFault: it could not be handed over.
    """
    return _to_wandb(tracked, folder) if tracker == "wandb" else _to_mlflow(tracked)


def _to_wandb(tracked: TrackedResults, folder: Path) -> str:
    """WANDB_MODE=offline keeps it in the folder, for `wandb sync`."""
    import wandb

    quiet = wandb.Settings(
        silent=True,
        console="off",
        disable_git=True,
        save_code=False,
        x_disable_stats=True,
        x_disable_machine_info=True,
    )
    try:
        run = wandb.init(
            project=PROJECT, name=tracked.name, config=tracked.settings, dir=str(folder), settings=quiet
        )
        run.summary.update({**tracked.numbers, **tracked.words})
        report = wandb.Artifact(f"report-{run.id}", "report")
        for file in tracked.files:
            report.add_file(str(file))
        run.log_artifact(report)
        run.finish()
    except (wandb.Error, OSError) as fault:
        raise RunFault(f"W&B did not take the results: {' '.join(str(fault).split())}") from fault
    return str(run.id)


def _to_mlflow(tracked: TrackedResults) -> str:
    """MLFLOW_TRACKING_URI says where it goes; a `file:` or `sqlite:` place needs no server."""
    from mlflow import MlflowClient
    from mlflow.entities import Param, RunTag
    from mlflow.exceptions import MlflowException

    try:
        client = MlflowClient()
    except MlflowException as fault:
        raise RunFault(f"MLflow cannot be used: {' '.join(str(fault).split())}") from fault
    name = ""
    try:
        known = client.get_experiment_by_name(PROJECT)
        place = known.experiment_id if known is not None else client.create_experiment(PROJECT)
        run = client.create_run(place, run_name=tracked.name)
        name = str(run.info.run_id)
        client.log_batch(
            name,
            params=[Param(key, value) for key, value in tracked.settings.items()],
            tags=[RunTag(key, value) for key, value in tracked.words.items()],
        )
        for key, value in tracked.numbers.items():
            client.log_metric(name, key, value)
        for file in tracked.files:
            client.log_artifact(name, str(file))
        client.set_terminated(name)
    except (MlflowException, OSError) as fault:
        with suppress(MlflowException, OSError):
            if name:
                client.set_terminated(name, "FAILED")
        raise RunFault(f"MLflow did not take the results: {' '.join(str(fault).split())}") from fault
    return name
