"""Column names: whether they mean a person, an identifier, an event, a measure or something else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from duckrisk.roles import identifier_words, languages
from duckrisk.roles import word_lists as lists


@cache
def name_tokens(name: str) -> list[str]:
    """Split a name into words in lower case.

    "UnitPrice", "unit_price" and "unit price" have two words each.
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    spaced = re.sub(r"(?<=[^\x00-\u024f])(?=[\x00-\u024f])|(?<=[\x00-\u024f])(?=[^\x00-\u024f])", " ", spaced)
    return [token.casefold() for token in re.split(r"[\W_]+", spaced) if token]


def plain_tokens(name: str) -> list[str]:
    """Split a name into words without trailing digits: "addressLine1" ends in "line"."""
    tokens = [token.rstrip("0123456789") or token for token in name_tokens(name)]
    return [token for token in tokens if not token.isdigit()]


def _suffixes(tokens: list[str]) -> list[str]:
    """List the suffixes of a name, the longest first; of Japanese also within a word."""
    endings = ["".join(tokens[start:]) for start in range(len(tokens))]
    last = tokens[-1] if tokens and not tokens[-1].isascii() else ""
    return [*endings, *(last[start:] for start in range(1, len(last)))]


@cache
def classify_identifier(name: str) -> str | None:
    """Return the kind of identifier that a name ends in.

    "work e-mail" and "phone_number" end in one, "email_opt_in" does not.

    Returns:
        A kind of ``IDENTIFIER_WORDS`` in word_lists.py; ``name`` for a bare "name", which other columns have
        to explain; None for any other name.
    """
    tokens = plain_tokens(name)
    if not tokens or (len(tokens) > 1 and tokens[0] in lists.COUNTING and not _is_number_of_one(tokens)):
        return None
    if tokens[-1] in ("line", "hash", "hashed", "encrypted", "masked", "clean") and len(tokens) > 1:
        tokens = tokens[:-1]
    forms = [tokens]
    while len(forms[-1]) > 1 and forms[-1][-1] in lists.NUMBER_WORDS:
        forms.append(forms[-1][:-1])
    for form in forms:
        for ending in _suffixes(form):
            for kind, words in lists.IDENTIFIER_WORDS.items():
                if ending in words and not (len(ending) == 1 and ending != "".join(tokens)):
                    return kind
    if (said := _classify_by_stem(tokens)) is not None:
        return said
    if tokens == ["名"]:
        return "person"
    if _is_name_of_person(tokens):
        return "person"
    return "name" if tokens in (["name"], ["names"], ["namae"]) else None


def _classify_by_stem(tokens: list[str]) -> str | None:
    """Return the kind of identifier besides words for a person and a number."""
    kinds, plain = identifier_words.KIND_OF, [languages.normalize(token) for token in tokens]
    if (whole := kinds.get("".join(plain))) is not None:
        return whole
    of_person = [t for t in plain if t not in lists.LINKS and t not in lists.QUALIFIERS and not _is_person(t)]
    rest = [t for t in of_person if t in kinds or not (_is_number(t) or t in lists.COUNTING)]
    found_kinds = {kinds.get("".join(rest)) or kinds.get(_stem("".join(rest)))} if rest else set()
    if found_kinds == {None}:
        found_kinds = {kinds.get(_stem(token)) for token in rest}
    return found_kinds.pop() if len(found_kinds) == 1 else None


def _stem(token: str) -> str:
    """Strip a person from the start of a word and a number from its end."""
    if token in identifier_words.KIND_OF:
        return token
    if token.isascii():
        end = next(
            (end for end in lists.NUMBER_SUFFIXES if token.endswith(end) and len(token) > len(end) + 2), ""
        )
        return token.removesuffix(end)
    ends = [end for end in languages.NUMBERS if token.endswith(end) and end != token]
    token = token.removesuffix(max(ends, key=len, default=""))
    start = next((i for i in range(len(token) - 1, 0, -1) if _is_person(token[:i])), 0)
    return token[start:]


def _is_name_of_person(tokens: list[str]) -> bool:
    """Return whether names of people are named: "customer name", not "product name"."""
    last = tokens[-1]
    if last in lists.NAME_WORDS and len(tokens) > 1:
        return any(_is_person(token) or token in lists.SERVING for token in tokens[:-1])
    for word in lists.NAME_WORDS[2:]:
        if not last.isascii() and last.endswith(word) and len(last) > len(word):
            return _is_person(last[: -len(word)]) or last[: -len(word)] in lists.SERVING
    return False


def is_name_of_staff(name: str) -> bool:
    """Return whether a name has a word for a person who serves the persons of a table."""
    tokens = plain_tokens(name)
    return any(token in lists.SERVING or token in lists.STAFF for token in tokens)


def _is_person(token: str) -> bool:
    """Return whether a word means a person that a table may be about."""
    plain = languages.normalize(token)
    if lists.PERSON_WORDS & {token, plain, plain.rstrip("s")} or languages.is_person(plain):
        return True
    return lists.AGENT.fullmatch(token) is not None and token not in lists.NO_AGENT


def is_person(token: str) -> bool:
    """Return whether a word means a person, also one who serves others."""
    return _is_person(token) or token in lists.SERVING


def _split_number(token: str) -> list[str]:
    """Split a word that ends in one for a number: "会員番号" and "Kundennummer"."""
    if len(parts := languages.split_number(languages.normalize(token))) > 1:
        return parts
    for ending in ("識別コード", "識別番号", "識別子", "番号", "コード", "名"):
        if not token.isascii() and token.endswith(ending) and len(token) > len(ending):
            return [token[: -len(ending)], ending]
    return [token]


#: Words for a person or an event and for a number, written as one word.
_PERSON_NUMBERS = frozenset(person + number for person in lists.PERSON_WORDS for number in lists.NUMBER_WORDS)
_EVENT_NUMBERS = frozenset(event + number for event in lists.EVENT_WORDS for number in lists.NUMBER_WORDS)


@cache
def user_score(name: str) -> int:
    """Return how clearly a name names the person behind a record.

    Returns:
        3 for the number of a person ("customer_id"), 2 for a word for a person, 1 for a bare "id", else 0.
    """
    tokens = [part for token in name_tokens(name) for part in _split_number(token)]
    joined = "".join(tokens)
    if tokens in (*lists.BARE_IDS, ["subject"]):
        return 1  # "subject" can mean a person, a school's subject, or that of a letter
    if (
        joined in lists.PERSON_IDS
        or languages.normalize(joined) in languages.PERSON_IDS
        or lists.SHORT_PERSON.fullmatch(joined)
    ):
        return 3
    tokens = _drop_links(tokens)
    if (
        len(tokens) == 2
        and len(tokens[0]) == 1
        and tokens[0].isascii()
        and tokens[1] in ("pid", "pidp", "idno")
    ):
        return 3
    if tokens and tokens[-1] in ("text", "str"):
        tokens = tokens[:-1]
    person = [t for t in tokens if _is_person(t)]
    number = [t for t in tokens if _is_number(t) or t in lists.HANDLES]
    silent = [t for t in tokens if t in lists.QUALIFIERS and t not in number]
    if person and len(tokens) > 1 and tokens[0] in lists.COUNTING:
        if not _is_number_of_one(tokens):
            return 0  # "num users" counts them
        number = number if tokens[0] in number else [tokens[0], *number]
    if person and number and len(person) + len(number) + len(silent) == len(tokens):
        return 3
    if joined in _PERSON_NUMBERS:
        return 3
    if number and person and tokens[0] in lists.EVENT_WORDS:
        tokens = tokens[1:]  # whose person it is: "order customer id"
    if not number and tokens[-1:] and tokens[-1] in lists.AMBIGUOUS:
        return 0
    return 2 if person and len(person) + len(number) == len(tokens) else 0


def _is_number_of_one(tokens: list[str]) -> bool:
    """Return whether a first word numbers one: "num cliente", not "num users"."""
    return tokens[0] in ("no", "nr") or (tokens[0] in ("num", "n", "nbr") and not tokens[-1].endswith("s"))


def _drop_links(tokens: list[str]) -> list[str]:
    """Drop prepositions and articles, unless nothing else is left."""
    return [token for token in tokens if token not in lists.LINKS] or tokens


def _is_number(token: str) -> bool:
    """Return whether a word means an assigned number."""
    return token in lists.NUMBER_WORDS or languages.normalize(token) in languages.NUMBERS


@cache
def is_other(name: str) -> bool:
    """Return whether a name means a thing, place, group, time or count, and no person."""
    return user_score(name) < 2 and languages.is_other(name_tokens(name))


def is_member(name: str) -> bool:
    """Return whether a name means a number within a household or a class."""
    tokens = name_tokens(name)
    return any(token in lists.MEMBERS for token in tokens) or "".join(tokens).endswith(
        ("lineno", "pno", "memberno")
    )


@cache
def is_trait(name: str) -> bool:
    """Return whether a name means a lasting trait of a person, such as sex or birth."""
    return languages.is_trait(name_tokens(name))


def is_age(name: str) -> bool:
    """Return whether a name means an age."""
    tokens = [languages.normalize(token) for token in name_tokens(name)]
    return bool(lists.AGES & {*tokens, "".join(tokens)})


def is_plural(name: str) -> bool:
    """Return whether a name ends in a plural; a column of numbers then counts people."""
    tokens = name_tokens(name)
    return bool(tokens) and tokens[-1].endswith("s") and tokens[-1] not in lists.PERSON_WORDS


def is_staff(name: str) -> bool:
    """Return whether a name means people who serve others, if the table has others."""
    return any(part in lists.STAFF for token in name_tokens(name) for part in _split_number(token))


def is_numbering(name: str) -> bool:
    """Return whether a name ends in a word for an assigned number."""
    tokens = name_tokens(name)
    if not tokens:
        return False
    last = tokens[-1].rstrip("s") if tokens[-1].isascii() else _split_number(tokens[-1])[-1]
    if "id" in tokens or languages.normalize(last).endswith(lists.NUMBER_ENDINGS):
        return True
    short = last.endswith("id") and len(last) <= 5 and last not in lists.WORDS_IN_ID
    return last in lists.NUMBER_WORDS or short or is_row_number(name)


def is_account(name: str) -> bool:
    """Return whether a name means the number of an account, card, contract or device."""
    tokens = [part for token in plain_tokens(name) for part in _split_number(token)]
    tokens = [languages.normalize(token) for token in _drop_links(tokens)]
    if "".join(tokens) in ("medallion", "卡号", "卡號", "账号", "카드번호", "계좌번호"):
        return True
    named = [t for t in tokens if t in lists.ACCOUNT_WORDS]
    return bool(named) and len(named) < len(tokens) and all(t in named or _is_number(t) for t in tokens)


def classify_key(name: str) -> str | None:
    """Return the kind of a key that numbers no person.

    Returns:
        ``event``, ``household`` or ``weight`` (of a survey); None for any other name.
    """
    tokens = [part for token in name_tokens(name) for part in _split_number(token)]
    joined = "".join(tokens)
    if lists.WEIGHT.fullmatch("_".join(tokens)) or lists.WEIGHT.fullmatch(joined):
        return "weight"
    number = [t for t in tokens if t in lists.NUMBER_WORDS]
    if joined in lists.HOUSEHOLD_WHOLE or (number and tokens[0] in lists.HOUSEHOLD_WORDS):
        return "household"
    event = [
        t
        for t in tokens
        if t in lists.EVENT_WORDS or _stem(languages.normalize(t)) in identifier_words.EVENTS
    ]
    if event and (_is_number(tokens[-1]) or _is_number(tokens[0])) and len(event) < len(tokens):
        return "event"
    if len(tokens) == 1 and event and event[0] not in lists.EVENT_WORDS and _stem(event[0]) != event[0]:
        return "event"
    if joined in _EVENT_NUMBERS or joined in lists.EVENT_ALONE:
        return "event"
    return None


def is_bare_weight(name: str) -> bool:
    """Return whether a name is a bare word for a weight."""
    return name_tokens(name) in lists.BARE_WEIGHTS


def has_survey_design(names: Iterable[str]) -> bool:
    """Return whether a column has households, strata or clusters of a survey."""
    return any(
        classify_key(name) == "household" or lists.SAMPLE_WORDS & set(name_tokens(name)) for name in names
    )


def is_row_number(name: str) -> bool:
    """Return whether programs give this name to the number of a row."""
    return lists.ROW_NUMBER.fullmatch(name) is not None


def is_nameless(name: str) -> bool:
    """Return whether a name has no meaning: "column1", "V2", "f_3"."""
    return lists.NAMELESS.fullmatch(name) is not None


def has_body_measures(names: Iterable[str]) -> bool:
    """Return whether a column measures bodies; then a weight is no survey's."""
    return any(lists.BODY_WORDS & set(name_tokens(name)) for name in names)


def has_person_traits(names: Iterable[str]) -> bool:
    """Return whether a column describes persons, such as their age or sex."""
    return any(lists.TRAITS & {*name_tokens(name), "".join(name_tokens(name))} for name in names)


def is_prose(name: str) -> bool:
    """Return whether a name announces texts that people wrote."""
    tokens = name_tokens(name)
    return any(token in lists.PROSE for token in tokens) or any(
        not token.isascii() and token.endswith(word)
        for token in tokens
        for word in lists.PROSE
        if not word.isascii()
    )


def is_technical(name: str) -> bool:
    """Return whether a name means a measurement of a device, and nothing of a person."""
    tokens = name_tokens(name)
    return any(token in lists.TECHNICAL for token in tokens)


def is_measure(name: str) -> bool:
    """Return whether a name means an amount, a measurement or a time."""
    tokens = name_tokens(name)
    ending = tokens[-1] if tokens else ""
    japanese = not ending.isascii() and any(ending.endswith(w) for w in lists.MEASURES if not w.isascii())
    return japanese or any(token in lists.MEASURES for token in tokens)
