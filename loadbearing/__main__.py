"""`python -m loadbearing`, the same as `loadbearing`."""

from loadbearing.cli.app import main

main()
