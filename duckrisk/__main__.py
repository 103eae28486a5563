"""The entry of the command line.

Importing the modules takes a while, and an interrupt must end the run in that time as well. So the handler is
installed first, with modules alone that Python has already loaded.
"""

import _signal  # type: ignore[import-not-found]  # what Python itself begins with; signal reads more
import os


def _stop(number: int, _frame: object) -> None:
    try:  # noqa: SIM105 (contextlib is read later)
        os.write(2, b"duckrisk: The run was interrupted.\n")
    except OSError:  # standard error can be closed
        pass
    os._exit(128 + number)


if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:
    _signal.signal(_signal.SIGINT, _stop)


def main() -> None:
    """Run the command line."""
    from duckrisk.cli import main as command

    command()


if __name__ == "__main__":
    main()
