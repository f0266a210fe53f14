"""The closed loop: an agent's own memory grows task by task, with and without more tries at each task."""
