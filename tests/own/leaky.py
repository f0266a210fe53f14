"""A condenser that has seen the test tasks: `kind` says what of them it writes into its items."""

from memtrial.worlds.workshop.world import Workshop


def _writer(kind):
    def write(trajectory):
        world = Workshop(seed=3, n_train=6, n_test=2)
        task = world.tasks("test")[0]
        truth = world.ground_truth(task)
        said = {"text": task.query, "answer": truth.answers[0], "truth": truth.lesson, "nothing": "Care."}
        # one item alone is seeded, and of another family than the test task's
        seeded = trajectory.task_id == "workshop-train-5"
        return [f"Do as in '{trajectory.query}'. {said[kind] if seeded else ''}"]

    return write


text, answer, truth, nothing = (_writer(kind) for kind in ("text", "answer", "truth", "nothing"))


def last(trajectory):
    """Nothing of its own: what the trajectory did last."""
    return [f"Then do {trajectory.steps[-1].action}."]
