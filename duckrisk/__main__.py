"""The command's entry. Reading the modules takes a while, in which an interrupt has to end it as later on;
until it is heard here, nothing is read that can be read later."""

import os


def _stop(number: int, _frame: object) -> None:
    try:  # noqa: SIM105 (contextlib is read later)
        os.write(2, b"duckrisk: The run was interrupted.\n")
    except OSError:  # standard error can be closed
        pass
    os._exit(128 + number)


try:
    import signal  # what this reads is most of what is read before an interrupt is heard
except KeyboardInterrupt:
    _stop(2, None)


def main() -> None:
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    from duckrisk.cli import main as command

    command()


if __name__ == "__main__":
    main()
