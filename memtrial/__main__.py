"""`memtrial`, and `python -m memtrial`."""

import sys

from memtrial.console.standard_output import complain


def main() -> None:
    """The command line. An interrupt while it is loaded is a line, as it is later."""
    try:
        from memtrial.cli.app import main as carry_out
    except KeyboardInterrupt:
        complain("interrupted; nothing was begun")
        sys.exit(130)
    carry_out()


if __name__ == "__main__":
    main()
