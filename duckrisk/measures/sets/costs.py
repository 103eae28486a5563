"""What decides which form a search among attribute sets takes: every threshold, with its evidence.

No threshold changes a figure. `tests/benchmarks/set_costs.py` turns each off and prints what that costs; the
ratios in brackets are of the CPU seconds of `assess --only identifiability` without it and with it.
"""

#: Combinations; with more of them each set has a statement of its own (Adult 1.9 if each always has one,
#: Online Retail 1.2 if none ever has).
SEPARATE = 300_000
#: Records; more are listed one by one first, and collapsed if no more than a share of them are distinct.
COLLAPSED_AT_ONCE = 1_000_000
COLLAPSED_SHARE = 0.9
#: Bits of an attribute by which a table is split at a time.
SPLIT = 3
#: Combinations in which dependencies are looked for, before they are examined in all.
SAMPLED_FOR_DEPENDENCIES = (20_000, 200_000)

#: Bits of a key that a batch of sets is grouped by (derived: a BIGINT without its sign; 1.1 without such a
#: key).
KEY_BITS = 63
#: Pairs of a set and a combination that a batch groups: its hash table stays in the cache.
BATCH_PAIRS = 1_000_000
#: Pairs that a batch examines at most, so that a limit is noticed in time.
PROBED_PAIRS = 60_000_000
#: Combinations of a part of a large table, the groups of which stay in the cache; sets that share its parts.
PART = 4_000_000
SETS_AT_ONCE = 64
#: Groups are many if a sample of some combinations has more than this share of them.
SAMPLED_FOR_GROUPS = 2_000_000
MANY_GROUPS = 0.5
#: Below these shares of open combinations only those are grouped that share one with an open person: if sets
#: share a statement, on large tables, and for the largest sets, which cost most to group.
WITNESS_SHARE = 0.03
WITNESS_SHARE_OF_LARGE = 0.15
WITNESS_SHARE_OF_CLOSURES = 0.5
#: On large tables sets that share a pair of attributes examine only what agrees in it with an open person, if
#: that is a smaller share than this. If many are open it is tried for pairs with many classes in a sample.
NEAR_SHARE = 0.5
NEAR_CLASSES = 0.5
#: Patterns of missing values; of more the largest sets are examined for all patterns together (Adult 1.2).
MOST_PATTERNS = 200

#: Attributes; the sets of no more are listed in one statement.
LISTED_ATTRIBUTES = 14
#: Sets; a tier of more is not begun.
MOST_SETS_OF_A_TIER = 5_000_000
#: Pairs of a set and an open combination; small tiers share a statement up to here.
OPEN_PAIRS = 3_000_000
#: Below this share of open combinations the attributes are found that each requires, if that is no more than
#: a share of the work left and many times its own sets came up (Adult 3.1 without).
REQUIRED_SHARE = 0.5
REQUIRED_WORK = 0.25
REQUIRED_SETS = 8
#: Persons that a statement books, and parts of all persons at most, each of which reads all that was found.
BOOKED_PERSONS = 2_500_000
MOST_PARTS = 8

#: Open combinations are compared with those that agree in some attributes they require, if that makes few
#: pairs; each pair costs as much as some combinations examined for one set (Adult 2.1 without).
ANCHOR = 3
AGREEMENT_PAIRS = 50_000_000
AGREEMENT_COST = 8
#: Pairs are counted in a sample of combinations, of one in some at least.
SAMPLED_FOR_ANCHORS = 2_000
SPARSEST_SAMPLE = 1_000
#: More agreements than this for each combination take longer than sets; then it is tried again at a share of
#: the open combinations.
MOST_AGREEMENTS = 2
DISCARDED_SHARE = 0.25
#: Comparing is tried again at this share of the open combinations.
COMPARED_AGAIN = 0.7
#: A person that requires nothing is compared with everybody, which costs as much as some sets: a patient
#: search tries these first.
UNBOUND_SETS = 2
#: For questions, comparing may cost as many times the sets of the next tier.
COMPARED_FOR = 4
#: Share of the open questions; sets are chosen again if those of a batch answered more.
ANSWERED_SHARE = 0.5
