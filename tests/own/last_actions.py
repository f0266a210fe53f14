"""A condenser: the last actions of a run, one item; what a failed run did is to be avoided."""


def last_actions(trajectory):
    actions = " and then ".join(step.action for step in trajectory.steps[-3:])
    if not actions:
        return []
    advice = "do" if trajectory.outcome == "success" else "avoid"
    return [f"When the task is like '{trajectory.query}', {advice}: {actions}."]
