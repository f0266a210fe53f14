"""`python -m memtrial`, the same as `memtrial`."""

from memtrial.cli.app import main

main()
