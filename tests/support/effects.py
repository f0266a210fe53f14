"""What each shipped kind of damage does to a memory, as a run's plan states it."""

from memtrial.perturbations.kinds import ALL

EFFECTS: dict[str, str] = {kind.name: kind.aim.declared.effect for kind in ALL}
