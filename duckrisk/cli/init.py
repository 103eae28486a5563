"""``duckrisk init``: proposes a settings file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duckrisk.base.options import select_options
from duckrisk.base.options.output import Language, Output, Questions
from duckrisk.base.options.reading import merge_readings
from duckrisk.base.options.roles import RoleOverrides
from duckrisk.base.options.source import Request, Resources
from duckrisk.cli.options import SourceArgument
from duckrisk.cli.output import check_outputs, escape_controls, run_with_progress, write_text
from duckrisk.cli.signature import CommandLine, command

if TYPE_CHECKING:
    from duckrisk.api.questions import Question
    from duckrisk.source import Source


@command(
    *(Request, Resources, Questions, Language),
    select_options(RoleOverrides, "user", "quasi_identifiers", "sensitive", "insensitive"),
    select_options(
        Output,
        *("output", "overwrite"),
        output={"help": "The file to write.", "default_text": "duckrisk.toml"},
    ),
)
def init(args: CommandLine, source: SourceArgument = None) -> None:
    """Write duckrisk.toml: the role of each column with its reason, ready to correct.

    At a terminal it asks about the columns that the verdict depends on. A question without an answer stays a
    comment in the file, and leaves the verdict undecided. So does --yes with answers that would relax a
    limit: insensitive, ignored, sensitive, and a guessed user.
    """
    from duckrisk import roles
    from duckrisk.api import config as settings_file
    from duckrisk.api.questions import ask, ask_years, open_questions
    from duckrisk.base.files import refuse_overwriting, write_file
    from duckrisk.base.sentences import Data, Sentence
    from duckrisk.engine.session import Session
    from duckrisk.report.words import Words
    from duckrisk.source import open_source

    out = args.options(Output)
    output = out.output or Path(settings_file.NAME)
    request = args.options(Request, source=source)
    check_outputs(args, [request], output=output)
    refuse_overwriting(output, out.overwrite)
    language = args.options(Language).resolved
    is_asking = (
        not args.options(Questions).yes and sys.stdin.isatty() and sys.stdout.isatty() and source != "-"
    )

    def infer(overrides: RoleOverrides, *read: str) -> tuple[Source, roles.Roles]:
        resources = args.options(Resources)
        resources = replace(resources, read=merge_readings(resources.read, read))

        def work(progress: Any) -> tuple[Source, roles.Roles]:
            with Session(resources, progress) as session:
                session.steps.plan("source", "roles")
                opened = open_source(session, request)
                session.steps.begin("roles")
                tokens = session.resources.missing_tokens
                return opened, roles.infer(session, opened, overrides, tokens=tokens, counts=True)

        found: tuple[Source, roles.Roles] = run_with_progress(work, quiet=False, language=language)
        return found

    opened, decided = infer(args.options(RoleOverrides))
    if is_asking:
        words = Words(language)
        years = ask_years(opened, decided, lambda question: _ask_person(question, opened, words))
        opened, decided = infer(args.options(RoleOverrides), *years) if years else (opened, decided)
        decided, _ = ask(
            opened,
            lambda overrides: infer(overrides, *years)[1],
            args.options(RoleOverrides),
            lambda question: _ask_person(question, opened, words),
        )
    text = settings_file.propose(opened, decided, request, language)
    settings_file.check_proposal(text)
    write_file(output, lambda path: write_text(path, text), private=False)
    config = "" if output == Path(settings_file.NAME) else f" --config {output}"
    still_open = len(list(open_questions(opened, decided))) + len(opened.undated)
    written: Sentence = Sentence("init.written", file=Data(output), config=Data(config))
    if still_open:
        written = Sentence("init.written.open", written=written, count=str(still_open))
    print(escape_controls(Words(language).format(written)), file=sys.stderr)


def _ask_person(question: Question, source: Source, words: Any) -> str | None:
    """Ask until the answer is valid; return "" to skip, None at the end of the input."""
    from duckrisk.api.questions import ANSWERS, ANSWERS_ON_CODES, ROWS
    from duckrisk.base.sentences import Sentence

    print(escape_controls(words.format(question.text)))
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return None
        answer = line.strip()
        if answer in ("?", "") or question.accepts(answer, source):
            return "" if answer == "?" else answer
        kind = "user" if question.subject in ROWS else "century" if question.subject == "century" else "role"
        answers = ANSWERS_ON_CODES if question.subject == "codes" else ANSWERS
        print(escape_controls(words.format(Sentence(f"init.again.{kind}", roles=", ".join(answers)))))
