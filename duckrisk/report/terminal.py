"""The report on a terminal: calm, at most 80 columns wide unless there is more room.

Names and values come from the source: they are shown as plain text, never as markup, and whatever
steers a terminal (escape codes, direction marks) is shown as an escape. Streams that cannot carry box
characters get ASCII.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Literal, TextIO

from duckrisk.report import disclosure, sentences, tables
from duckrisk.report.identifiability import sentences as singled_out
from duckrisk.report.identifiability import tables as singled_out_tables
from duckrisk.report.text import (
    Data,
    Joined,
    Sentence,
    between,
    knowledge,
    number,
    probability,
    publication,
    say,
    share,
    visible,
    word,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from duckrisk.report import Report

WIDTH = 80
WIDEST = 110
MOST_ATTRIBUTES = 25
MOST_ROLES = 12
MOST_DETAILED = 5
MOST_NOTES = 8
MOST_LINES = 3
#: Of many eases the highest are shown, and those of most people.
MOST_EASES = 4
MOST_SCENARIOS = 5
MOST_LEARNT = 6
MOST_SETS = 8
#: What marks of the catalogue become on a stream that lacks them.
_PLAIN = {ord("‹"): "<", ord("›"): ">", ord("…"): "...", ord("·"): "*"}


def print_report(report: Report, file: TextIO, width: int | None = None) -> None:
    """Print a report to a stream; ``width`` in columns, by default the terminal's, at most 110, and
    80 where there is no terminal."""
    Printer(report, file, width).print()


class Printer:
    """Prints a report; what else is printed in its manner builds on it."""

    def __init__(self, report: Any, file: TextIO, width: int | None) -> None:
        self.report, self.data, self.file = report, report.data, file
        self.encoding = getattr(file, "encoding", None) or "utf-8"
        # Old consoles draw box characters two cells wide even where their encoding has them.
        self.ascii = not self.encoding.lower().startswith(("utf", "u8"))
        self.console = _console(file, width)
        self.width = self.console.width

    def print(self) -> None:
        # Rendered first, then written at once: an encoding that still lacks something cannot raise.
        with self.console.capture() as capture:
            self._everything()
        text = "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
        try:
            self.file.write(text)
        except UnicodeEncodeError:
            self.file.write(text.encode(self.encoding, "backslashreplace").decode(self.encoding))

    def _everything(self) -> None:
        data = self.data
        if tables.has_values(data):
            self.say(say("with_values"), "bold")
            self.gap()
        lines = sentences.source_lines(data)
        self.say(Data(data["source"]["name"]), "bold", after=": " + lines[0].plain())
        for line in lines[1:]:
            self.say(line)
        self.roles()
        self.notes()
        self.ranking()
        self.known()
        self.coarser()
        self.models()
        self.sampling()
        self.singled_out()
        self.disclosed()
        self.values()
        self.checklist()
        self.gates()
        self.method()

    # --- pieces ----------------------------------------------------------------------------------

    def show(self, text: str) -> str:
        """Data as this stream can carry it."""
        return visible(text, self.encoding)

    def plain(self, part: Any) -> str:
        if isinstance(part, (Sentence, Joined)):
            return self.own(part.plain(self.show))
        return self.show(part) if isinstance(part, Data) else self.own(str(part))

    def own(self, text: str) -> str:
        """Words of the catalogue: marks that an ASCII stream lacks are replaced."""
        if not self.ascii:
            return text
        missing = {code: plain for code, plain in _PLAIN.items() if not self.can_show(chr(code))}
        return text.translate(missing).encode(self.encoding, "replace").decode(self.encoding)

    def can_show(self, character: str) -> bool:
        """Whether the stream's encoding has this character."""
        try:
            character.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def say(self, part: Any, style: str = "", after: str = "", indent: int = 0) -> None:
        from rich.padding import Padding
        from rich.text import Text

        text = Text(self.plain(part), style=style, overflow="fold")
        text.append(after)
        self.console.print(Padding(text, (0, 0, 0, indent)))

    def gap(self) -> None:
        self.console.print()

    def head(self, key: str) -> None:
        from rich.text import Text

        self.gap()
        self.console.print(Text(word(key), style="bold"))

    def fit(self, text: str, room: int) -> str:
        """Text cut in the middle to so many cells: both ends tell names apart."""
        from rich.cells import cell_len

        text = self.show(text)
        if cell_len(text) <= room:
            return text
        dots = ".." if self.ascii else "…"
        room -= len(dots)
        tail, used = "", 0
        for character in reversed(text):
            if used + cell_len(character) > room // 3:
                break
            tail, used = character + tail, used + cell_len(character)
        head = ""
        for character in text:
            if used + cell_len(character) > room:
                break
            head, used = head + character, used + cell_len(character)
        return head + dots + tail

    def folded(self, text: str, room: int) -> str:
        """Text in lines of so many cells, broken after a blank or the "+" of a composite; cut in the middle
        where that would not do."""
        from rich.cells import cell_len

        lines = [""]
        for piece in re.findall(r"[^ +]*(?:\+| +|$)", self.show(text)):
            if lines[-1] and cell_len((lines[-1] + piece).rstrip(" ")) > room:
                lines.append("")
            lines[-1] += piece
        lines = [line.rstrip(" ") for line in lines]
        if len(lines) > MOST_LINES or any(cell_len(line) > room for line in lines):
            return self.fit(text, room)
        return "\n".join(lines)

    def table(
        self,
        heads: list[Any],
        rows: list[list[Any]],
        right: set[int],
        flexible: tuple[int, ...] = (0,),
        more: int = 0,
        header: bool = True,
    ) -> None:
        """A table that fits: the flexible columns share what the others leave, and are folded or cut."""
        from rich.cells import cell_len
        from rich.table import Table
        from rich.text import Text

        if not rows:
            return
        heads = [self.plain(head) for head in heads]
        cells = [[cell if isinstance(cell, Text) else self.plain(cell) for cell in row] for row in rows]

        def needed(column: int) -> int:
            inside = (row[column] for row in cells)
            widths = (cell.cell_len if isinstance(cell, Text) else cell_len(cell) for cell in inside)
            return max(cell_len(heads[column]), *widths, 1)

        widths = [needed(column) for column in range(len(heads))]
        room = (
            self.width
            - 2
            - 2 * (len(heads) - 1)
            - sum(width for column, width in enumerate(widths) if column not in flexible)
        )
        for place, column in enumerate(flexible):
            fair = max(6, room // (len(flexible) - place))
            widths[column] = min(widths[column], fair)
            room -= widths[column]
        made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False, header_style="dim")
        made.show_header = header
        for column, head in enumerate(heads):
            justify: Literal["left", "right"] = "right" if column in right else "left"
            made.add_column(
                Text(self.fit(head, widths[column]), justify=justify),
                justify=justify,
                width=widths[column],
                no_wrap=True,
                overflow="crop",
            )
        for row in cells:
            made.add_row(
                *[
                    cell if isinstance(cell, Text) else Text(self.folded(cell, widths[column]))
                    for column, cell in enumerate(row)
                ]
            )
        from rich.padding import Padding

        self.console.print(Padding(made, (0, 0, 0, 2)))
        if more:
            self.say(say("more_elsewhere", count=number(more)), "dim", indent=2)

    def bar(self, part: float, length: int) -> Text:
        """A bar of so many cells; anything above 0 shows at least a trace."""
        from rich.text import Text

        if self.ascii:
            filled = max(1, round(part * length)) if part > 0 else 0
            return Text("#" * filled + " " * (length - filled), style="blue")
        eighths = max(1, round(part * length * 8)) if part > 0 else 0
        blocks = "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
        return Text(blocks + " " * (length - len(blocks)), style="blue")

    # --- sections --------------------------------------------------------------------------------

    def roles(self) -> None:
        table = tables.roles(self.data, urgent_first=len(self.data["source"]["columns"]) > MOST_ROLES)
        self.head("of_roles")
        rows = [[row[0], row[2], row[3], row[4]] for row in table.rows[:MOST_ROLES]]
        heads, right = [table.heads[0], table.heads[2], table.heads[3], word("missing_short")], {3}
        if all(row[4] == "0" for row in table.rows):
            rows, heads = [row[:3] for row in rows], heads[:3]
        self.table(heads, rows, right, flexible=(0, 2), more=max(0, len(table.rows) - MOST_ROLES))

    def notes(self) -> None:
        notes = self.data["source"]["notes"]
        if not notes:
            return
        self.head("of_notes")
        for note in notes[:MOST_NOTES]:
            self.say(Data(note), indent=2)
        if len(notes) > MOST_NOTES:
            self.say(say("more_elsewhere", count=number(len(notes) - MOST_NOTES)), "dim", indent=2)

    def ranking(self) -> None:
        from rich.cells import cell_len

        data = self.data
        entries = data["attribute_risk"]
        if not entries:
            if tables.was_asked(data, "attribute_risk"):
                self.gap()
                self.say(sentences.headline(data), "bold")
            return
        self.head("of_risk")
        shown = entries[:MOST_ATTRIBUTES]
        highest = max((tables.shown_risk(entry) or 0.0 for entry in shown), default=0.0) or 1.0
        with_intervals = tables.was_sampled(data)
        counted = any(entry["distinct_values"] is not None for entry in shown)
        heads: list[Any] = [word("attribute"), *([word("values_short")] if counted else [])]
        heads += [word("mean_risk"), ""]
        heads += [word("interval_short")] if with_intervals else []
        heads += [say("share_below_short", k=data["settings"]["k"])] if counted else []
        longest = max(cell_len(self.show(entry["attribute"])) for entry in shown)
        bar = 10 if longest <= 16 else 5  # names need the room more
        rows = []
        for entry in shown:
            found, sampled = tables.shown_risk(entry), entry["sampled"] or {}
            row: list[Any] = [Data(entry["attribute"])]
            row += [number(entry["distinct_values"])] if counted else []
            row += [probability(found), self.bar((found or 0.0) / highest, bar)]
            ends = sampled.get("lower"), sampled.get("upper")
            row += [between(*ends, short=True)] if with_intervals else []
            row += [share(entry["share_below_k"])] if counted else []
            rows.append(row)
        right = {i for i in range(1, len(heads)) if heads[i] != ""}
        self.table(heads, rows, right, more=len(entries) - len(shown))
        self.gap()
        self.say(sentences.headline(data), "bold")
        for sentence in (*sentences.risk_sentences(data)[1:], sentences.interval_sentence(data, short=True)):
            if sentence is not None:
                self.say(sentence, "dim")
        if counted:
            self.say(say("read.below_short", k=data["settings"]["k"]), "dim")

    def known(self) -> None:
        found: dict[str, dict[int, dict[str, Any]]] = {}
        for row in tables.several_known(self.data):
            found.setdefault(row["attribute"], {})[row["known_records"]] = row
        if not found:
            return
        self.head("of_known")
        steps = sorted({p for rows in found.values() for p in rows})
        steps = [p for p in steps if p in (1, 2, steps[-1])]
        rows = []
        for name, by_step in list(found.items())[:MOST_DETAILED]:
            cells = [
                f"{probability(by_step[p]['risk'])} ({share(by_step[p]['unicity'])})" if p in by_step else "-"
                for p in steps
            ]
            rows.append([Data(name), *cells])
        heads = [word("attribute"), *[say("known_short", count=str(p)) for p in steps]]
        self.table(heads, rows, set(range(1, len(heads))), more=len(found) - len(rows))
        self.say(say("read.known_short"), "dim")

    def coarser(self) -> None:
        best = tables.best_changes(self.data)
        if not best:
            return
        self.head("of_coarser")
        names = tables.column_names(self.data)
        now = {entry["attribute"]: entry for entry in self.data["attribute_risk"]}
        rows = [
            [
                Data(name),
                publication(row["coarser"], names),
                probability(now[name]["mean_risk"]),
                probability(row["mean_risk"]),
                share(now[name]["share_below_k"]),
                share(row["share_below_k"]),
            ]
            for name, row in list(best.items())[:MOST_DETAILED]
        ]
        heads = [
            word(key)
            for key in ("attribute", "published", "risk_before", "risk_after", "share_before", "share_after")
        ]
        self.table(heads, rows, {2, 3, 4, 5}, flexible=(0, 1), more=len(best) - len(rows))
        if (helps := sentences.best_help(self.data)) is not None:
            self.say(helps)

    def models(self) -> None:
        if not self.data["model_errors"]:
            return
        self.head("of_models")
        if tables.models_agree(self.data):
            self.say(say("read.models_agree"), indent=2)
            return
        names = list(dict.fromkeys(row["attribute"] for row in self.data["model_errors"]))
        shown = names[:MOST_DETAILED]
        rows = [
            [
                Data(row["attribute"]),
                word(row["model"]),
                number(row["cost"]),
                probability(row["risk"]),
                probability(row["error"]),
            ]
            for row in self.data["model_errors"]
            if row["attribute"] in shown
        ]
        for before, row in zip(reversed(rows[:-1]), reversed(rows[1:]), strict=True):
            if before[0] == row[0]:
                row[0] = ""
        heads = [word(key) for key in ("attribute", "model", "cost", "risk", "error")]
        self.table(heads, rows, {2, 3, 4}, more=len(names) - len(shown))

    def sampling(self) -> None:
        verdict = sentences.sampling_verdict(self.data)
        if verdict is not None and not tables.models_agree(self.data):
            self.head("of_sampling")
            self.say(verdict)
            if (cost := sentences.sampling_cost(self.report)) is not None:
                self.say(cost)

    def values(self) -> None:
        shown = [entry for entry in self.data["attribute_risk"] if tables.shown_values(self.data, entry)]
        if not shown:
            return
        self.head("of_values")
        self.say(say("with_values"), "bold")
        self.say(word("read.values"), "dim")
        for entry in shown[:MOST_DETAILED]:
            self.say(knowledge(entry["attribute"], tables.column_names(self.data)), indent=2)
            table = tables.values(self.data, entry)
            rows = [[row[i] for i in (0, 1, 2, 5, 6)] for row in table.rows]
            self.table([table.heads[i] for i in (0, 1, 2, 5, 6)], rows, {1, 2, 3, 4})
        if len(shown) > MOST_DETAILED:
            self.say(say("more_elsewhere", count=number(len(shown) - MOST_DETAILED)), "dim", indent=2)

    def singled_out(self) -> None:
        found = tables.section(self.data)
        if found is None:
            return
        self.head("of_identifiability")
        self.say(singled_out.headline(self.data), "bold")
        entries = found["distribution"]
        often = sorted(range(MOST_EASES, len(entries)), key=lambda place: -entries[place]["records"])
        nobody = [place for place, entry in enumerate(entries) if entry["ease"] == 0]
        kept = sorted({*range(min(MOST_EASES, len(entries))), *often[:MOST_EASES], *nobody})
        most = max((entry["records"] for entry in entries), default=1)
        table = singled_out_tables.distribution(self.data)
        rows = [
            [*table.rows[place][:2], self.bar(entries[place]["records"] / most, 20), table.rows[place][2]]
            for place in kept
        ]
        heads = [*table.heads[:2], "", table.heads[2]]
        self.table(heads, rows, {0, 1, 3}, flexible=(), more=len(entries) - len(kept))
        for sentence in singled_out.about_ease(found):
            self.say(sentence, "dim")
        self.scenarios()
        self.sets()
        self.stand_out()
        self.sureness()

    def disclosed(self) -> None:
        for key, parts in disclosure.told(self.data).items():
            self.head(f"of_{key}")
            for part in parts:
                if part.table is not None:
                    cut = tables.cut(part.table, MOST_ATTRIBUTES)
                    self.table(list(cut.heads), [list(r) for r in cut.rows], set(cut.right), more=cut.more)
                elif part.level:
                    self.gap()
                    self.say(Data(part.text), "bold")
                elif part.figure is None:
                    self.say(Data(part.text))

    def scenarios(self) -> None:
        told, about = singled_out.scenarios(self.data, MOST_SCENARIOS, MOST_LEARNT)
        if not told:
            return
        self.head("of_scenarios")
        for sentence in told:
            self.say(sentence, indent=2)
        for sentence in singled_out.scenario_notes(self.data, about):
            self.say(sentence, "dim")

    def sets(self) -> None:
        table = singled_out_tables.sets(self.data)
        if table.rows:
            self.head("of_sets")
            rows = [list(row) for row in table.rows[:MOST_SETS]]
            self.table(list(table.heads), rows, {1, 2, 3}, more=len(table.rows) - len(rows))
            self.say(say("read.sets_short"), "dim")

    def stand_out(self) -> None:
        found = self.data["identifiability"]
        ranked = singled_out_tables.ranked(self.data)
        if not ranked or not found["singled_out"]:
            return
        self.head("of_parts")
        table = singled_out_tables.parts(self.data)
        shown = min(len(ranked), MOST_ATTRIBUTES)
        rows = [
            [row[0], row[1], self.bar(entry["share_of_singled_out"] or 0.0, 10), *row[3:]]
            for row, entry in zip(table.rows[:shown], ranked[:shown], strict=True)
        ]
        heads = [table.heads[0], word("part_short"), "", *table.heads[3:]]
        right = {1, *range(3, len(heads))}
        self.table(heads, rows, right, more=len(ranked) - shown)
        for sentence in singled_out.about_parts(found):
            self.say(sentence, "dim")
        for line in (*singled_out.helps(self.data), singled_out.helps_missing(found)):
            if line is not None:
                self.say(line)

    def sureness(self) -> None:
        found = self.data["identifiability"]
        self.head("of_search")
        for sentence in (*singled_out.sureness(found), *singled_out.units(found), *singled_out.levels(found)):
            self.say(sentence)

    def checklist(self) -> None:
        if not self.data["checklist"]:
            return
        self.head("of_checklist")
        rule = None
        for entry in self.data["checklist"]:
            if entry["framework"] != rule:
                rule = entry["framework"]
                self.say(rule, indent=2)
                rows = [
                    [e["item"], word(f"status_short.{e['status']}"), e["requirement"]]
                    for e in self.data["checklist"]
                    if e["framework"] == rule
                ]
                self.table(["", "", ""], rows, set(), flexible=(2,), header=False)
        self.say(say("read.checklist_short"), "dim")

    def gates(self) -> None:
        if not self.data["gates"]:
            return
        self.head("of_gates")
        passed = all(gate["passed"] for gate in self.data["gates"])
        table = tables.gates(self.data)
        self.table(list(table.heads), [list(row) for row in table.rows], {2}, flexible=(3, 0))
        self.say(sentences.gate_verdict(self.data), "bold" if passed else "bold red")

    def method(self) -> None:
        data = self.data
        self.gap()
        for line in (*sentences.not_assessed(data), sentences.versions(data), sentences.digest(data, 12)):
            self.say(line, "dim")


def _console(file: TextIO, width: int | None) -> Console:
    from rich.console import Console, detect_legacy_windows

    terminal = bool(getattr(file, "isatty", lambda: False)())
    # Plain wherever a stream is not a terminal that takes colours; FORCE_COLOR is no reason either.
    plain = (
        not terminal
        or bool(os.environ.get("NO_COLOR"))
        or os.environ.get("TERM") == "dumb"
        or detect_legacy_windows()
    )
    made = Console(
        file=file,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        force_jupyter=False,
        force_terminal=not plain,
        color_system=None if plain else "standard",
        width=width or (None if terminal else WIDTH),
        safe_box=True,
    )
    if width is None and terminal:
        made.width = max(40, min(made.width, WIDEST))
    return made
