"""The command's entry. Reading the modules takes a while, in which an interrupt has to end it as later on."""

import os
import signal
from contextlib import suppress


def _stop(number: int, _frame: object) -> None:
    with suppress(OSError):  # standard error can be closed
        os.write(2, b"duckrisk: The run was interrupted.\n")
    os._exit(128 + number)


def main() -> None:
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    from duckrisk.cli import main as command

    command()


if __name__ == "__main__":
    main()
