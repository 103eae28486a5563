"""Names of columns, for display only: templates bind columns by position."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from duckrisk.base.sentences import Sentence, list_names

#: SQL ignores the case of these letters in names, and of no others.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def fold_case(name: str) -> str:
    """Return a name in the form by which SQL compares names."""
    return name.translate(_LOWER)


def make_unique(names: list[str]) -> list[str]:
    """Make names unique by the rules of SQL, close to the true ones."""
    bases = [name.replace("\0", "") or f"column{i}" for i, name in enumerate(names)]
    return _number_repeated(bases, fold_case, lambda base, number: f"{base}_{number}")


def list_case_variants(names: Sequence[str]) -> list[str]:
    """Return the names that differ from another one only in case."""
    counts = Counter(map(fold_case, names))
    return [name for name in names if counts[fold_case(name)] > 1]


def describe_renamed(names: list[str], called: list[str]) -> Sentence | None:
    """Return a note on the columns that a query must name otherwise; None without any."""
    odd = set(list_case_variants(names))
    renamed = [(name, new) for name, new in zip(names, called, strict=True) if name in odd and name != new]
    if not renamed:
        return None
    old, new = zip(*renamed, strict=True)
    return Sentence("source.numbered", old=list_names(old), new=list_names(new))


def label_columns(names: list[str], notes: list[Sentence]) -> list[str]:
    """Label columns for people: repeated names get a number, empty ones a position.

    Args:
        names: The true names, in the order of the columns.
        notes: Receives a note on the changed names.
    """
    bases = [name or f"column {i + 1}" for i, name in enumerate(names)]
    distinct = _number_repeated(bases, str, lambda base, number: f"{base} ({number + 1})")
    if changed := [new for new, old in zip(distinct, names, strict=True) if new != old]:
        notes.append(Sentence("source.named", names=list_names(changed)))
    return distinct


def _number_repeated(
    bases: list[str], key: Callable[[str], str], numbered: Callable[[str, int], str]
) -> list[str]:
    """Append a number to repeated names without colliding with an existing one."""
    counts = Counter(key(base) for base in bases)
    taken: set[str] = set()
    distinct: list[str] = []
    for base in bases:
        candidate, number = base, 0
        while key(candidate) in taken or (number and key(candidate) in counts):
            number += 1
            candidate = numbered(base, number)
        taken.add(key(candidate))
        distinct.append(candidate)
    return distinct


#: Words of column names that values hardly ever have.
_NAME_WORDS = frozenset(
    """
    id ids no nr nbr num number code key uid uuid ref index name names user users customer client member
    patient person account email mail phone tel address street city town zip postcode postal state region
    country date day month year week time hour timestamp datetime created updated birth birthday dob age
    sex gender race education occupation job income salary price amount total cost value values quantity
    qty count item items product goods sku stock description category type kind class group status flag
    level score rank rate order invoice transaction record row column col field label title text note
    notes comment source target diagnosis disease drug medication department shop store brand model color
    colour size weight height 日付 日時 日 月 年 時刻 時間 番号 コード 名前 氏名 顧客 会員 商品 品名 単価
    価格 金額 数量 個数 性別 年齢 生年月日 住所 都道府県 市区町村 郵便番号 電話番号 国 地域 職業 種別 区分
    備考 名称 病名 診療科
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_JAPANESE_WORDS = tuple(word for word in _NAME_WORDS if not word.isascii() and len(word) > 1)


def are_column_names(cells: list[str]) -> bool:
    """Return whether the first line of a table of texts probably holds column names.

    In such a file only words that are usual in column names distinguish a header from a record.
    """
    for cell in cells:
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", cell)
        words = {word.casefold() for word in re.split(r"[\W_\d]+", spaced) if word}
        if words & _NAME_WORDS or cell.startswith(_JAPANESE_WORDS) or cell.endswith(_JAPANESE_WORDS):
            return True
    return False
