"""Find the mass of a locally recoded release on the combinations of the original, by bits of its classes."""

from __future__ import annotations

from duckrisk.release.comparison.coverage import Coverage

#: Classes of a word (derived: the bits of a positive HUGEINT, in twelve pieces of ten).
_CLASSES_PER_WORD = 120
#: Words of a batch (a choice: each is a column for each attribute).
_MAX_WORDS = 60
#: Words of the combinations of the original in a batch (a choice: 16 bytes each).
_WORDS_PER_BATCH = 4_000_000


def count_words(classes: int) -> int:
    """Count the words that hold a bit for each class."""
    return -(-classes // _CLASSES_PER_WORD)


def find_masses(coverage: Coverage, bits: int | None) -> None:
    """Find the mass on each combination of all attributes.

    Args:
        coverage: What the values of the release cover.
        bits: Bits after the binary point of masses; None if they do not fit into whole numbers.
    """
    session = coverage.session
    numbers = [part.attribute.number for part in coverage.present]
    leaves = [coverage.leaves.counts[number] for number in numbers]
    session.run("class_bits", attributes=numbers, all_attributes=list(range(len(coverage.parts))), bits=bits)
    coverage.number_combinations()
    coverage.find_cell_ends()
    counts = session.fetch_row("compared_counts")
    words = max(1, count_words(counts["classes"]))
    width = min(_MAX_WORDS, max(1, _WORDS_PER_BATCH // max(1, counts["combinations"])))
    for first in range(0, words, width):
        batch = list(range(first, min(words, first + width)))
        session.run("value_words", attributes=numbers, leaves=leaves, words=batch)
        session.run("covering_words", attributes=numbers, words=batch)
        session.run("covered_masses", words=batch, bits=bits, replace=first == 0)
    session.run("class_masses", bits=bits)
