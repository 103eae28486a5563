"""A document on a terminal: calm, at most 80 columns wide unless there is more room.

Names and values come from the source: they are shown as plain text, never as markup, and whatever
steers a terminal (escape codes, direction marks) is shown as an escape. Streams that cannot carry box
characters get ASCII. Widths are those of cells: Japanese characters take two.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from duckrisk.base.numbers import format_number
from duckrisk.base.sentences import Data, Sentence, Text
from duckrisk.report.blocks import (
    Block,
    Code,
    Column,
    Commands,
    Detail,
    Document,
    Facts,
    Figure,
    Heading,
    Items,
    Listing,
    Paragraph,
)
from duckrisk.report.render import MOST_ROWS
from duckrisk.report.safe import visible, without_commands
from duckrisk.report.words import Words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as Styled

WIDTH = 80
WIDEST = 110
#: A cell of text is folded into so many lines at most.
MOST_LINES = 3
#: A first screen has so many lines at most, and names in its sentences so many cells.
SCREEN_LINES = 40
_SCREEN_NAME = 30
_BAR = 10
#: What marks of the catalogue become on a stream that lacks them.
_PLAIN = {
    **{ord("‹"): "<", ord("›"): ">", ord("…"): "...", ord("·"): "*", ord("→"): "->"},
    **{ord("✓"): "+", ord("✗"): "x", ord("≥"): ">="},
}
#: What stands apart by three blanks goes to a line of its own before it is broken.
_APART = re.compile(r"[^ ].*?(?: {3,}|\Z)|^ +", re.DOTALL)
#: Where lines can be broken: after a blank that stands behind no sign of a number, after the "+" of a
#: composite, and between wide characters, but for what must not begin or end a line.
_WIDE, _OPENING, _CLOSING = "\u2e80-\uffdc", "（「『", "、。，．：）」』！？・ーっゃゅょッャュョァィゥェォ々"
_PIECES = re.compile(
    rf"[{_OPENING}]*(?:(?![{_OPENING}])[{_WIDE}][{_CLOSING}]*"
    rf"|(?:[^ +{_WIDE}]*[<>≥≤] )?[^ +{_WIDE}]*(?:\+| +|$)|[^ +{_WIDE}]+[{_CLOSING}]*)"
)
#: The colours of the signs of the catalogue, where a terminal takes colours.
_SIGNS = {"✓": "green", "✗": "red"}
_STYLES = {"verdict": "bold", "headline": "bold", "warning": "bold", "reading": "dim", "body": ""}
_SEVERITIES = {"": "", "good": "", "open": "", "bad": "bold"}


def print_document(document: Document, file: TextIO, width: int | None = None, language: str = "en") -> None:
    """Print a document to a stream; ``width`` in columns, by default the terminal's, at most 110, and
    80 where there is no terminal."""
    _Terminal(file, width, Words(language)).print(document)


def print_screen(
    make: Callable[[int], Document],
    sizes: Sequence[int],
    file: TextIO,
    width: int | None = None,
    language: str = "en",
) -> None:
    """Print a first screen: the document of the largest size that has at most 40 lines."""
    terminal = _Terminal(file, width, Words(language), screen=True)
    for size in sizes:
        text = terminal.text(make(size))
        if terminal.lines(text) <= SCREEN_LINES:
            break
    terminal.write(text)


def to_text(document: Document, width: int = WIDTH, language: str = "en") -> str:
    """The document as it is printed where there is no terminal."""
    file = io.StringIO()
    print_document(document, file, width, language)
    return file.getvalue()


class _Terminal:
    def __init__(self, file: TextIO, width: int | None, words: Words, screen: bool = False) -> None:
        self.file, self.words, self.screen = file, words, screen
        self.encoding = getattr(file, "encoding", None) or "utf-8"
        # Old consoles draw box characters two cells wide even where their encoding has them.
        self.ascii = not self.encoding.lower().startswith(("utf", "u8"))
        self.console = _console(file, width)
        self.width = self.console.width

    def print(self, document: Document) -> None:
        # Rendered first, then written at once: an encoding that still lacks something cannot raise.
        self.write(self.text(document))

    def text(self, document: Document) -> str:
        with self.console.capture() as capture:
            self.say(document.title, "bold")
            before: Block | None = None
            for block in filter(_is_shown, document.blocks):
                if self._parted(before, block):
                    self.console.print()
                self.block(block)
                before = block
        return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"

    def _parted(self, before: Block | None, block: Block) -> bool:
        """Whether an empty line stands between two blocks; on a first screen what is said of a table stands
        below it at once."""
        if self.screen and isinstance(block, Paragraph) and block.role == "reading":
            return False
        if self.screen and isinstance(before, Paragraph) and before.role in ("reading", "headline"):
            return True
        if self.screen and isinstance(before, (Items, Commands)) and isinstance(block, Paragraph):
            return True
        return before is None or isinstance(before, (Listing, Figure)) or _has_head(block)

    def lines(self, text: str) -> int:
        """How many lines a text takes: what cannot be broken goes on in the next."""
        from rich.cells import cell_len

        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        return sum(max(1, -(-cell_len(line) // self.width)) for line in plain.splitlines())

    def write(self, text: str) -> None:
        text = without_commands(text)
        try:
            self.file.write(text)
        except UnicodeEncodeError:
            self.file.write(text.encode(self.encoding, "backslashreplace").decode(self.encoding))

    def block(self, block: Block) -> None:
        match block:
            case Heading():
                self.say(block.text, "bold")
            case Paragraph():
                self.say(block.text, _STYLES[block.role])
            case Items():
                for position, text in enumerate(block.texts, 1):
                    self.say(text, indent=2, mark=f"{position}. " if block.numbered else "")
            case Facts():
                for fact in block.facts:
                    key = "fact.remark" if fact.remark else "fact"
                    sentence = Sentence(key, name=fact.signed, figure=fact.figure, remark=fact.remark)
                    self.say(sentence, _SEVERITIES[fact.severity], indent=2)
            case Listing():
                self.table(block)
            case Figure():
                if block.stand_in is not None:
                    if block.title:
                        self.say(block.title, "bold")
                    self.table(block.stand_in)
            case Code():
                for line in block.text.split("\n"):
                    self.console.print("  " + self.show(line), soft_wrap=True)
            case Commands():
                self.commands(block)
            case Detail():
                pass

    # --- text ------------------------------------------------------------------------------------

    def show(self, text: str) -> str:
        """Data as this stream can carry it; on a first screen no longer than a name may be."""
        escaped = visible(text, self.encoding)
        return self.fit(escaped, _SCREEN_NAME) if self.screen else escaped

    def plain(self, text: Any) -> str:
        return self.words.shown(text, data=self.show, own=self.own)

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

    def say(self, text: Text, style: str = "", indent: int = 0, mark: str = "") -> None:
        from rich.padding import Padding
        from rich.text import Text as Styled

        lines = self.wrapped(mark + self.plain(text), self.width - indent)
        styled = Styled("\n".join(lines), style=style, overflow="fold")
        self.console.print(Padding(self.signed(styled, text), (0, 0, 0, indent)))

    def signed(self, styled: Styled, text: Any) -> Styled:
        """Colour the sign that a sentence begins with; data are no sign."""
        for sign, colour in _SIGNS.items():
            if isinstance(text, Sentence) and styled.plain.startswith(self.own(sign)):
                follows = styled.plain[1:2]
                if follows in ("", " "):
                    styled.stylize(colour, 0, 1)
        return styled

    def wrapped(self, text: str, room: int) -> list[str]:
        """Text in lines of so many cells, broken where its language lets it be; a word that is longer than a
        line stays whole."""
        from rich.cells import cell_len

        lines = [""]
        for part in _APART.findall(text):
            if lines[-1].strip(" ") and cell_len((lines[-1] + part).rstrip(" ")) > room:
                lines.append("")
            for piece in _PIECES.findall(part):
                if lines[-1] and cell_len((lines[-1] + piece).rstrip(" ")) > room:
                    lines.append("")
                lines[-1] += piece
        return [line.rstrip(" ") for line in lines]

    def fit(self, text: str, room: int) -> str:
        """Text cut in the middle to so many cells: both ends tell names apart."""
        from rich.cells import cell_len

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
        """Text in lines of so many cells; cut in the middle where that would not do."""
        return "\n".join(self.wrapped(text, room)) if self._folds(text, room) else self.fit(text, room)

    def whole(self, text: str, room: int) -> str:
        """Text in as many lines of so many cells as it takes; a word that is longer is cut in the middle."""
        return "\n".join(self.fit(line, room) for line in self.wrapped(text, room))

    def _folds(self, text: str, room: int) -> bool:
        from rich.cells import cell_len

        lines = self.wrapped(text, room)
        return len(lines) <= MOST_LINES and all(cell_len(line) <= room for line in lines)

    def commands(self, block: Commands) -> None:
        """Commands with what they are for beside them, or below where there is no room; a long one is broken
        between its words as a shell reads it, and a word never."""
        from rich.cells import cell_len
        from rich.text import Text as Styled

        commands = [(self._typed(words), self.plain(reason)) for words, reason in block.commands]
        single = [(cell_len(lines[0]), cell_len(reason)) for lines, reason in commands if len(lines) == 1]
        # A reason stands at the same column for all commands that are no longer than ``longest``.
        fits = (
            size
            for size, _ in single
            if size + 4 + max(reason for other, reason in single if other <= size) <= self.width
        )
        longest = max(fits, default=0)
        for lines, reason in commands:
            parts = list(map(Styled, lines))
            if len(lines) == 1 and cell_len(lines[0]) <= longest:
                parts[0].append(" " * (longest - cell_len(lines[0]) + 2)).append(reason, "dim")
            else:
                parts.append(Styled("    " + reason, "dim"))
            for line in parts:
                self.console.print(Styled("  ").append_text(line), soft_wrap=True)

    def _typed(self, words: Sequence[str]) -> list[str]:
        """A command as it is typed, in lines that a shell puts together again."""
        from rich.cells import cell_len

        pieces: list[str] = []
        for word in words:
            option = bool(pieces) and pieces[-1].startswith("-") and " " not in pieces[-1]
            if option and not word.startswith("-"):  # an option and its value stay together
                pieces[-1] += f" {shlex.quote(word)}"
            else:
                pieces.append(shlex.quote(word))
        lines = [""]
        for piece in pieces:
            if lines[-1] and cell_len(lines[-1]) + cell_len(piece) + 5 > self.width:
                lines[-1] += " \\"
                lines.append("    " + piece)
            else:
                lines[-1] += f" {piece}" if lines[-1] else piece
        return lines

    # --- tables ----------------------------------------------------------------------------------

    def table(self, listing: Listing) -> None:
        """A table that fits: numbers keep their digits, text is folded or cut, and what there is still no
        room for goes by its priority."""
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text as Styled

        if not listing.rows:
            return
        listing = listing.only(i for i, column in enumerate(listing.columns) if not column.wide)
        listing = listing.cut(MOST_ROWS["terminal"] if listing.brief is None else listing.brief)
        listing, heads, widths = self._fitted(listing)
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False, header_style="dim")
        table.show_header = any(heads)
        for column, head, width in zip(listing.columns, heads, widths, strict=True):
            justify: Any = "right" if column.numeric else "left"
            styled = Styled(self.folded(head, width), justify=justify)
            table.add_column(
                styled, justify=justify, width=width, no_wrap=True, overflow="crop", vertical="top"
            )
        for row in listing.rows:
            table.add_row(*self._cells(listing, row, widths))
        self.console.print(Padding(table, (0, 0, 0, 2)))
        rest = listing.left(elsewhere=True)
        if self.screen and listing.more:
            rest = Sentence("screen.more", count=format_number(listing.more))
        if rest is not None:
            self.say(rest, "dim", indent=2)

    def _fitted(self, listing: Listing) -> tuple[Listing, list[str], list[int]]:
        """The columns that there is room for, their heads, and how many cells wide each is."""
        while True:
            whole, short = self._heads(listing.columns)
            for heads in (whole, short):
                widths = self._widths(listing, heads)
                if widths is not None:
                    of_each = zip(heads, short, widths, strict=True)
                    return listing, [one if self._folds(one, w) else less for one, less, w in of_each], widths
            last = max(range(len(listing.columns)), key=lambda i: (listing.columns[i].priority, i))
            listing = listing.only(i for i in range(len(listing.columns)) if i != last)

    def _heads(self, columns: tuple[Column, ...]) -> list[list[str]]:
        """The heads as they are, and where that is too much short ones."""
        whole = [self.plain(column.head) for column in columns]
        short = [self.plain(column.head if column.short is None else column.short) for column in columns]
        return [whole, short]

    def _widths(self, listing: Listing, heads: list[str]) -> list[int] | None:
        """How wide each column is; None where numbers would lose digits or text nearly everything."""
        from rich.cells import cell_len

        def longest(text: str) -> int:
            return max((cell_len(word) for word in text.split(" ")), default=0)

        inside = [
            max(cell_len(self.plain(row[position])) for row in listing.rows) if not column.bar else _BAR
            for position, column in enumerate(listing.columns)
        ]

        def least_of(column: Column, head: str) -> int:
            """A head over numbers may stand in several lines, and one that is a name gives way to words: to
            those of its short head, or of other columns."""
            if not column.numeric:
                return cell_len(head)
            gives_way = isinstance(column.head, Data) and column.short is None
            return min(longest(head), column.room) if gives_way else longest(head)

        widths = [
            max(width, least_of(column, head), 1)
            for column, head, width in zip(listing.columns, heads, inside, strict=True)
        ]
        flexible = [p for p, column in enumerate(listing.columns) if not column.numeric and not column.bar]
        room = self.width - 2 - 2 * (len(widths) - 1)
        room -= sum(width for i, width in enumerate(widths) if i not in flexible)
        least = sum(min(widths[i], listing.columns[i].room) for i in flexible)
        if room < least and len(widths) > 1:
            return None
        flexible.sort(key=lambda i: widths[i])
        for count, i in enumerate(flexible):
            wanted = sum(min(widths[j], listing.columns[j].room) for j in flexible[count + 1 :])
            fair = max(1, min(room // (len(flexible) - count), room - wanted))
            widths[i] = min(widths[i], fair)
            room -= widths[i]
        # Heads stand in one line where there is room left, and names are as long as they can be.
        for i, head in enumerate(heads):
            more = cell_len(head) - widths[i]
            if listing.columns[i].numeric and 0 < more <= room:
                widths[i], room = widths[i] + more, room - more
        cut = [p for p, head in enumerate(heads) if listing.columns[p].numeric and longest(head) > widths[p]]
        for count, i in enumerate(cut):
            widths[i] += (more := max(0, room) // (len(cut) - count))
            room -= more
        return widths

    def _cells(self, listing: Listing, row: Iterable[Any], widths: list[int]) -> list[Styled]:
        from rich.text import Text as Styled

        fold = self.whole if listing.whole else self.folded
        return [
            self.bar(cell, width) if column.bar else self.signed(Styled(fold(self.plain(cell), width)), cell)
            for column, cell, width in zip(listing.columns, row, widths, strict=True)
        ]

    def bar(self, part: float, length: int) -> Styled:
        """A bar of so many cells; anything above 0 shows at least a trace."""
        from rich.text import Text as Styled

        if self.ascii:
            filled = max(1, round(part * length)) if part > 0 else 0
            return Styled("#" * filled + " " * (length - filled), style="blue")
        eighths = max(1, round(part * length * 8)) if part > 0 else 0
        blocks = "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
        return Styled(blocks + " " * (length - len(blocks)), style="blue")


def _is_shown(block: Block) -> bool:
    """Whether a terminal shows anything of a block."""
    if isinstance(block, Figure):
        return block.stand_in is not None
    return not isinstance(block, Detail) and not (isinstance(block, Listing) and not block.rows)


def _has_head(block: Block) -> bool:
    """Whether a block opens with a line of its own that names it."""
    return isinstance(block, Heading) or (isinstance(block, Figure) and block.title != "")


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
    console = Console(
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
        console.width = max(40, min(console.width, WIDEST))
    return console
