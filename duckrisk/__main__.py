"""The command's entry. Reading the modules takes a while, in which an interrupt has to end it as later on;
until it is heard here, nothing is read that was not before."""

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
    from duckrisk.cli import main as command

    command()


if __name__ == "__main__":
    main()
