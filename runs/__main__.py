"""`python -m runs`, the same as `loadbearing`."""

from runs.cli import main

main()
