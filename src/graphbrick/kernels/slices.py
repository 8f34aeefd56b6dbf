"""Slices of the work of a kernel: between two it returns to Python, where it can be stopped.

Compiled code cannot check the time or react to Ctrl-C. A kernel that may take long therefore keeps its state in arrays,
stops after about `SLICE` edges, and continues from there when it is called again. Between two calls Python runs
`graphbrick.core.compute.check_limits`. The result does not depend on the size of a slice.
"""

from __future__ import annotations

SLICE = 1 << 20
"""Edges in a slice: some ten milliseconds, and a hundred thousand times the cost of a call."""
