"""The single changes of a SQL text that a test should notice, for tests/benchmarks/mutants.py.

Inner joins are not made outer ones: nearly everywhere each row has its partner, and that changes nothing.
Their conditions are changed instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """Other text for a piece of a template: from ``start`` to before ``end`` stands ``after``."""

    start: int
    end: int
    after: str

    def apply(self, text: str) -> str:
        """The text with the change."""
        return text[: self.start] + self.after + text[self.end :]


#: What stands for a word.
WORDS = {
    "MIN": ("MAX",), "MAX": ("MIN",), "SUM": ("MAX",), "AVG": ("MAX",), "MEDIAN": ("MAX",),
    "BIT_OR": ("BIT_AND",), "BIT_AND": ("BIT_OR",), "BOOL_OR": ("BOOL_AND",), "BOOL_AND": ("BOOL_OR",),
    "ARG_MIN": ("ARG_MAX",), "ARG_MAX": ("ARG_MIN",), "GREATEST": ("LEAST",), "LEAST": ("GREATEST",),
    "FLOOR": ("CEIL",), "CEIL": ("FLOOR",), "LAG": ("LEAD",), "LEAD": ("LAG",),
    "FIRST_VALUE": ("LAST_VALUE",), "RANK": ("DENSE_RANK",), "DENSE_RANK": ("RANK",),
    "STDDEV_SAMP": ("STDDEV_POP",), "VAR_SAMP": ("VAR_POP",),
    "VAR_POP": ("VAR_SAMP",), "STDDEV_POP": ("STDDEV_SAMP",),
    "AND": ("OR",), "OR": ("AND",), "TRUE": ("FALSE",), "FALSE": ("TRUE",),
    "ASC": ("DESC",), "DESC": ("ASC",), "EXISTS": ("NOT EXISTS",), "LIKE": ("NOT LIKE",), "IN": ("NOT IN",),
    "SEMI": ("ANTI",), "ANTI": ("SEMI",), "LEFT": ("",), "FULL": ("LEFT",), "EXCEPT": ("INTERSECT",),
    "INTERSECT": ("EXCEPT",), "BETWEEN": ("NOT BETWEEN",),
}  # fmt: skip
SIGNS = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "=": ("<>",), "<>": ("=",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "//": ("*",), "<<": (">>",), ">>": ("<<",),
    "&": ("|",), "|": ("&",),
}  # fmt: skip
COMPARISONS = ("<", "<=", ">", ">=")
#: Behind these a condition begins, and these end one.
BEGIN = ("WHERE", "HAVING", "QUALIFY", "ON", "WHEN", "AND", "OR")
END = (
    "GROUP", "ORDER", "LIMIT", "HAVING", "UNION", "WINDOW", "QUALIFY", "THEN", "JOIN", "LEFT", "SEMI", "ANTI",
    "INNER", "CROSS", "FULL", "WHERE", "SELECT", "FROM", "AND", "OR", "ON", "RETURNING", "EXCEPT",
    "INTERSECT", "POSITIONAL", "ELSE", "END", "AS", "USING", "ASOF",
)  # fmt: skip

_TOKEN = re.compile(
    r"""
    (?P<pattern>\{\{(?:(?!\}\})[^"])*\beach\("|"(?:,\s*\w+)*(?:,\s*between="[^"]*")?\)\s*\}\})
    | (?P<place>\{\{.*?\}\}|\{(?:[xyz](?:\.\w+)?|[in]|bit)\})
    | (?P<block>\{%.*?%\}) | (?P<note>\{\#.*?\#\}|--[^\n]*)
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    | (?P<number>(?<![\w}.])\d+(?:\.\d+)?(?:e-\d+)?(?![\w{])) | (?P<word>[A-Za-z_0-9]+)
    | (?P<sign><=|>=|<>|:=|=>|->|::|<<|>>|\|\||//|[-+*/%<>=&|]) | (?P<other>[^\s])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int
    depth: int

    @property
    def is_operand(self) -> bool:
        """Whether a value may end with it."""
        if self.kind == "word":
            return self.text == "END" or not self.text.isupper()
        return self.kind in ("place", "text", "number") or self.text in (")", "]")


def _tokens(text: str) -> list[_Token]:
    """What stands below the header, comments left out, each with the parentheses around it."""
    tokens, depth = [], 0
    header = re.match(r"(?:--[^\n]*\n)*", text)
    for match in _TOKEN.finditer(text, header.end() if header else 0):
        kind = match.lastgroup or ""
        if kind in ("note", "pattern"):  # the inside of a pattern is SQL
            continue
        depth -= match[0] in (")", "]", "}")
        tokens.append(_Token(kind, match[0], match.start(), match.end(), depth))
        depth += match[0] in ("(", "[", "{")
    return tokens


def changes(text: str) -> list[tuple[Change, ...]]:
    """All places of a template that can be changed, each with its changes."""
    tokens = _tokens(text)
    places = [*_at_tokens(tokens), *_of_conditions(text, tokens)]
    kept = [tuple(change for change in place if change.apply(text) != text) for place in places]
    return [place for place in kept if place]


def _at_tokens(tokens: Sequence[_Token]) -> Iterator[tuple[Change, ...]]:
    for number, token in enumerate(tokens):
        if token.kind == "number" and _is_counted(tokens, number):
            continue
        before = [one.text for one in tokens[max(0, number - 4) : number]]
        after = [one.text for one in tokens[number + 1 : number + 4]]
        yield tuple(
            Change(token.start, token.end, other)
            for other in _others(token, ["", *before], [*after, "", "", ""], tokens[number - 1])
        )


def _is_counted(tokens: Sequence[_Token], number: int) -> bool:
    """Whether a number only says that something is there: COUNT(CASE WHEN a THEN 1 END)."""
    if tokens[number - 1].text != "THEN":
        return False
    outside = (place for place in range(number, 0, -1) if tokens[place].depth < tokens[number].depth)
    opening = next(outside, 0)
    return tokens[opening - 1].text == "COUNT"


def _others(token: _Token, before: list[str], after: list[str], previous: _Token) -> Sequence[str]:
    """What may stand for a token."""
    if token.kind == "number":
        return _numbers(token.text, before, after)
    if token.kind == "sign":
        others = SIGNS.get(token.text, ()) if previous.is_operand else ()
        return others[1:] if token.text in COMPARISONS and _is_tolerance(after[0]) else others
    if token.text == "(" and before[-1] == "COUNT" and after[0] not in ("*", "DISTINCT", ")"):
        return ("(DISTINCT ",)
    if token.kind != "word":
        return ()
    if token.text in WORDS:
        return WORDS[token.text] if _fits(token.text, before, after) else ()
    if token.text == "DISTINCT":
        return _distinct(before, after)
    if token.text == "UNION":
        return () if after[0] == "ALL" else ("UNION ALL",)
    if token.text == "NOT":
        return () if after[0] == "MATERIALIZED" or (before[-1], after[0]) == ("IF", "EXISTS") else ("",)
    put = {("UNION", "ALL"): "", ("IS", "NULL"): "NOT NULL"}.get((before[-1], token.text))
    return () if put is None else (put,)


def _fits(word: str, before: list[str], after: list[str]) -> bool:
    """Whether a word is what it looks like."""
    if word in ("LEFT", "FULL", "SEMI", "ANTI"):
        return after[0] == "JOIN" and before[-1] != "ASOF"
    if word in ("EXISTS", "BETWEEN", "LIKE", "IN"):
        return before[-1] not in ("NOT", "IF")
    return (word, after[0]) != ("OR", "REPLACE")


def _is_tolerance(text: str) -> bool:
    """Whether a text is a small number with an exponent, such as 1e-12."""
    return re.fullmatch(r"\d+(?:\.\d+)?e-\d+", text) is not None


def _distinct(before: list[str], after: list[str]) -> Sequence[str]:
    """DISTINCT goes; IS DISTINCT FROM becomes its contrary."""
    if before[-1] == "IS":
        return ("NOT DISTINCT",)
    if before[-2:] == ["IS", "NOT"] or after[0] == "ON":
        return ()
    return ("",)


def _numbers(text: str, before: list[str], after: list[str]) -> Sequence[str]:
    """The number above and below; for a fraction its half. Types keep theirs, and hashes their large ones.

    A tolerance stays too. It stands between the rounding of doubles and any difference that counts: another
    one of its size changes no result, nor does it matter whether what is compared with it is equal to it.
    """
    if "DECIMAL" in before or (before[-1] == "SELECT" and after[0] == "FROM") or float(text) > 1000:
        return ()
    if _is_tolerance(text):
        return ()
    whole = "." not in text
    return (
        (str(int(text) + 1), f"({int(text) - 1})") if whole else (str(float(text) + 1), str(float(text) / 2))
    )


def _of_conditions(text: str, tokens: Sequence[_Token]) -> Iterator[tuple[Change, ...]]:
    """Each condition left out or turned round."""
    for number, token in enumerate(tokens):
        if token.kind != "word" or token.text not in BEGIN or _is_between(tokens, number):
            continue
        if token.text == "ON" and tokens[number - 1].text == "DISTINCT":
            continue
        if token.text == "OR" and tokens[number + 1].text == "REPLACE":
            continue
        inside, ending = _condition(tokens, number)
        if not inside or inside[-1].kind == "sign" or inside[0].kind == "block":
            continue
        start, end = inside[0].start, inside[-1].end
        if text[start:end] in ("TRUE", "FALSE"):
            continue
        negated = Change(start, end, f"NOT ({text[start:end]})")
        alternative = "OR" in (token.text, ending)
        dropped = Change(start, end, "FALSE" if alternative else "TRUE")
        only = token.text in ("ON", "WHEN") and ending not in ("AND", "OR")
        yield (negated,) if only else (dropped, negated)


def _condition(tokens: Sequence[_Token], number: int) -> tuple[list[_Token], str]:
    """The tokens of the condition behind a word, and what ends it."""
    inside: list[_Token] = []
    depth = tokens[number].depth
    for place in range(number + 1, len(tokens)):
        token = tokens[place]
        if token.kind == "block":
            return (inside if token.depth == depth else []), token.text
        if token.depth < depth or (token.depth == depth and token.text in (",", ";")):
            return inside, token.text
        if token.depth == depth and token.kind == "word" and token.text in END:
            inner = token.text in ("END", "ELSE", "AND", "OR", "THEN") and _is_inner(tokens, number, place)
            if not inner and not (token.text == "FROM" and tokens[place - 1].text == "DISTINCT"):
                return inside, token.text
        inside.append(token)
    return inside, ""


def _is_inner(tokens: Sequence[_Token], number: int, place: int) -> bool:
    """Whether a word belongs to BETWEEN or CASE within a condition."""
    cases = 0
    for token in tokens[number + 1 : place]:
        cases += {"CASE": 1, "END": -1}.get(token.text, 0)
    return cases > 0 or (tokens[place].text == "AND" and _is_between(tokens, place))


def _is_between(tokens: Sequence[_Token], place: int) -> bool:
    """Whether an AND is that of a BETWEEN."""
    if tokens[place].text != "AND":
        return False
    for token in reversed(tokens[:place]):
        if token.depth < tokens[place].depth or (token.depth == tokens[place].depth and token.text in END):
            return False
        if token.depth == tokens[place].depth and token.text == "BETWEEN":
            return True
    return False
