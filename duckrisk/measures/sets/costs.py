"""What decides which form a search among attribute sets takes: every threshold, with its evidence.

Those of the form of a search change no figure of a complete one: `tests/benchmarks/set_costs.py` turns most
of them off, one by one. Those of its end and of samples decide what is measured.
Ratios in brackets are of the CPU seconds of `assess --only identifiability` without a threshold and with it.
"""

# --- combinations ---

#: Combinations; with more of them each set has a statement of its own (Adult 1.9 if each always has one,
#: Online Retail 1.2 if none ever has).
SEPARATE = 300_000
#: Combinations in which the classes of all pairs are counted, to find likely dependencies (Diabetes 130 1.0
#: with a second sample of 200,000).
SAMPLED_FOR_DEPENDENCIES = 20_000

# --- classes ---

#: Bits of a key that a batch of sets is grouped by (derived: a BIGINT without its sign; Adult 1.1 without).
KEY_BITS = 63
#: Pairs of a set and a combination that a batch groups; its hash table stays in the cache (Diabetes 130 1.3
#: with 300,000, 1.2 with 10 million).
BATCH_PAIRS = 1_000_000
#: Pairs of a set and a combination that a batch examines at most (a choice: a limit is noticed in two
#: seconds).
PROBED_PAIRS = 60_000_000
#: Sets of a large table that may share a table (Online Retail 1.1 with one).
SETS_AT_ONCE = 64
#: Share of open combinations; below it only what shares a combination with an open person is grouped, if
#: sets share a statement (Diabetes 130 1.06).
WITNESS_SHARE = 0.03
#: The same share on large tables (4.9 million records of Online Retail 1.4).
WITNESS_SHARE_OF_LARGE = 0.15
#: The same share for the largest sets, which cost most to group (Adult 1.1).
WITNESS_SHARE_OF_CLOSURES = 0.5
#: Share of a large table; sets that share a pair of attributes examine only what agrees in it with an open
#: person, if that is less (Online Retail 1.08).
NEAR_SHARE = 0.5
#: Classes of a pair for each combination of a sample; it is tried for pairs with more (a choice: most are
#: alone).
NEAR_CLASSES = 0.5
#: Patterns of missing values; with more of them large sets are examined for all patterns together (Adult 1.2
#: without).
MOST_PATTERNS = 16

# --- tiers ---

#: Pairs of a set and a combination; for more of them in all, an order of the sets is chosen (a choice: it
#: takes as long as a million).
ORDERED_PAIRS = 50_000_000
#: Records in which it is counted how well attributes separate, to try sets in that order (a choice: the order
#: decides only what a limit leaves out).
SAMPLED_FOR_ORDER = 100_000
#: Share of the combinations that all low attributes make together at most (Diabetes 130 1.3 with none).
LOW_SHARE = 0.06
#: Share of the combinations; where these are more, they are made for no sets with more attributes that are
#: not low (a choice: little is saved).
PROJECTED_SHARE = 0.5
#: Pairs of a set and a combination that must settle some of the open persons, where all sets of a tier take
#: too long (a choice: half a second).
TRIED_PAIRS = 5_000_000
#: Share of the open persons that they must settle (a choice: Diabetes 130 leaves 5,478 records unknown of
#: 62,015, and 3,906 after ten times the work).
FEW_SETTLED = 0.25
#: Attributes; the sets of no more are listed in one statement (Adult 1.1).
LISTED_ATTRIBUTES = 14
#: Sets; a tier of more is not begun (a choice: 400 MB).
MOST_SETS_OF_A_TIER = 5_000_000
#: Pairs of a set and an open combination; small tiers share a statement up to here (Adult 1.1).
OPEN_PAIRS = 3_000_000
#: Share of open combinations; below it the attributes are found that each requires (Adult 3.1).
REQUIRED_SHARE = 0.5
#: Share of the work that is left; to find them may cost no more (a choice: it saves more than half).
REQUIRED_WORK = 0.25
#: Sets that came up for each that finds them (a choice: an eighth of the work so far).
REQUIRED_SETS = 8

# --- agreements ---

#: Attributes that an open combination and those it is compared with agree in (a choice: few are left).
ANCHOR = 3
#: Pairs of combinations; open ones are compared if there are no more (Adult 2.1 without).
AGREEMENT_PAIRS = 50_000_000
#: Combinations examined for one set that cost as much as a pair (a choice, from 200 ns and 27 ns).
AGREEMENT_COST = 8
#: Combinations of a sample in which pairs are counted (a choice: within 10 %).
SAMPLED_FOR_ANCHORS = 2_000
#: Combinations for each of the sample at most (a choice).
SPARSEST_SAMPLE = 1_000
#: Agreements for each combination; more take longer than sets (a choice).
MOST_AGREEMENTS = 2
#: Share of the open combinations at which it is tried again after too many agreements (a choice).
DISCARDED_SHARE = 0.25
#: Share of the open combinations at which it is tried again (a choice).
COMPARED_AGAIN = 0.7
#: Sets that cost as much as comparing a person that requires nothing; a patient search tries these first (a
#: choice: they settle most such persons).
UNBOUND_SETS = 2
#: Times the cost of the sets of the next tier that comparing for questions may cost (a choice).
COMPARED_FOR = 4
#: Share of the open questions; sets are chosen again if those of a batch answered more (a choice: then half
#: of the sets may be useless).
ANSWERED_SHARE = 0.5

# --- facts ---

#: Values, 8 bytes each; no more are kept as numbers in memory (the sets of 9 attributes of 5 million records
#: take 5 CPU seconds, under 512 MB as well; 15 if each statement hashes texts and cuts moments anew).
HELD_VALUES = 64_000_000
#: Columns; to bind a table of more in each statement takes longer than to make one of those that are read (a
#: choice, from tests/uniqueness/test_bound_columns.py).
HELD_COLUMNS = 500
#: Values, 8 bytes each; with up to this number of values in more columns each record is kept as one list (a
#: choice: 16 MB).
LISTED_VALUES = 2_000_000
#: Sets; strata are made of no more, drawn at random (a choice: 10 ms).
LISTED_SETS = 10_000

# --- lattices of attribute sets: special uniques, minimal keys, surveys --------------------------

#: Attributes; all sets of these are examined together (derived: 64 sets are the bits of a UBIGINT;
#: special uniques of Adult 2.0 without it).
LOW_ATTRIBUTES = 6
#: Pairs of a set of high attributes and a combination, or of a set of low ones and a group, that share a
#: statement (special uniques of Adult 3.5 if each set has one).
LATTICE_PAIRS = 500_000
#: Sets of high attributes that share a statement (a choice: a literal of each in its text).
LATTICE_SETS = 1_000
#: Groups of a class for each set of low attributes; in smaller classes every two groups are compared (special
#: uniques of Adult 2.0, attribute sets 3.1 if none ever are).
COMPARED_GROUPS = 3

#: Pairs of a combination and a pattern of missing values that share a statement (special uniques of Adult 3.1
#: if each set has one).
WILDCARD_PAIRS = 2_000_000
#: Such pairs; with more not even one set is compared (a choice: 15 seconds for a set).
MOST_WILDCARD_PAIRS = 100_000_000
#: Nanoseconds that comparing takes for such a pair (a rough estimate: Adult takes less).
WILDCARD_PAIR_COST = 150
#: Nanoseconds that comparing takes for a set (a rough estimate: Adult takes less).
WILDCARD_SET_COST = 1_000_000

#: Pairs of a set of high attributes and a combination that a search for uniques examines without a limit (a
#: choice: minutes).
MOST_UNIQUES_PAIRS = 200_000_000
#: Pairs that a set counts as in such a search at least, however few combinations there are (a choice).
LEAST_SET_PAIRS = 1_000
#: Estimated seconds of such a search if a missing value equals every value (a choice: a minute).
UNIQUES_SECONDS = 60.0

#: Pairs of combinations alike on a set to list the differences of (a choice: it bounds a join; on Adult 1 and
#: a billion take as long).
DIFFERING_PAIRS = 2_000
#: Combinations; of fewer every two are compared instead of trying sets (300 records of Adult: 1.3 if sets are
#: tried).
ALL_COMPARED = 1_000
#: Nanoseconds that trying a set takes for a combination (a rough estimate).
CHECK_COST = 50
#: Nanoseconds that trying a set takes for itself (a rough estimate).
CHECK_SET_COST = 10_000_000
#: Estimated seconds of trying sets without a limit (a choice: half a minute).
CHECK_SECONDS = 30.0
#: Candidates for keys to follow (a choice: the list grows exponentially).
MOST_CANDIDATES = 5_000
#: Nanoseconds that a set takes for a combination in the search for small classes (a rough estimate).
LEVELS_COST = 100
#: Sets that sets of one size are extended to without a limit (a choice: they are listed in memory).
MOST_EXTENDED = 1_000_000
#: Estimated seconds of that search without a limit (a choice: the part is measured by default).
LEVELS_SECONDS = 3.0

#: Nanoseconds that counting all classes of a set takes for a combination (a rough estimate: sets share work,
#: and all of Adult take an eighth of it).
SURVEY_COST = 40
#: Nanoseconds that a set takes for itself then (a rough estimate: few records).
SURVEY_SET_COST = 30_000
#: Nanoseconds that counting a sample of them takes for a combination (a rough estimate).
SAMPLED_COST = 12
#: Nanoseconds that a set takes for itself then (a rough estimate).
SAMPLED_SET_COST = 5_000_000
#: Estimated seconds of counting without a limit (a choice: half a minute).
SURVEY_SECONDS = 30.0
#: Classes; one of this number is counted in a sample (derived: shares of a million classes
#: have a standard error below 0.4 %).
SAMPLED_CLASSES = 64
#: Combinations; with fewer a sample has too few classes to say much (a choice).
FEWEST_SAMPLED = 200_000
