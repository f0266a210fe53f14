"""Arrays by what they hold, and the generator of random draws."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
"""Among others the index of each task's unit of inference, shape (n_tasks,)."""
Bools = NDArray[np.bool_]
Rng = np.random.Generator
