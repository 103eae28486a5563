"""The words of a score; part of the catalogue in ``text``."""

from __future__ import annotations

ENGLISH = {
    # --- names of sections
    "score.title": "Scores of releases of {original}",
    "score.title_of_one": "Score of {release}, a release of {original}",
    "score.title.utility": "What releases of {original} still serve for",
    "score.title_of_one.utility": "What {release}, a release of {original}, still serves for",
    "of_score_league": "League table",
    "of_score_plot": "Utility and safety",
    "of_score_losses": "Losses",
    "of_score_further": "Further losses",
    "of_score_safety": "Attacks",
    "of_score_rates": "Rates of each attack",
    "of_score_reading": "How to read this",
    # --- heads and rows of tables
    "score.submission": "Submission",
    "score.rank": "Rank",
    "score.utl": "UTL",
    "score.sec": "SEC",
    "score.sec_all": "SEC, all",
    "score.avg": "AVG",
    "score.worst_loss": "Worst loss",
    "score.best_attack": "Best attack",
    "score.loss": "Loss",
    "score.itemcf_supply": "E1 recommendations, wholesale",
    "score.itemcf_retail": "E2 recommendations, retail",
    "score.topk_list": "E3 top items",
    "score.topk_similarity": "E3 similarity of top items",
    "score.date": "E4 days",
    "score.price": "E5 prices",
    "score.deleted_rows": "E6 deleted records",
    "score.short.itemcf_supply": "E1 wholesale",
    "score.short.itemcf_retail": "E2 retail",
    "score.short.topk_list": "E3 top items",
    "score.short.topk_similarity": "E3 similarity",
    "score.short.date": "E4 days",
    "score.short.price": "E5 prices",
    "score.short.deleted_rows": "E6 deleted",
    "score.loss_rules": "association rules",
    "score.loss_confidence": "confidence of rules",
    "score.cross_table": "items by {attribute}",
    "score.subset": "mean {number} by {attribute}",
    "score.number.price": "price",
    "score.number.quantity": "quantity",
    "score.attack": "Attack",
    "score.alpha": "{alpha}%",
    "score.share": "Known",
    "score.every_share": "any",
    "score.strict": "Strict",
    "score.cell": "Cell",
    "score.active_cell": "Active cell",
    "score.row": "Row",
    "score.guesses": "guesses",
    "score.guess": "guess {name}",
    # --- figure
    "axis.score.utl": "UTL, what is lost",
    "axis.score.sec": "SEC, who is found",
    "read.score.plot": "Left is better for those who use the data, low is better for the people in them. "
    "Dashed lines join equal scores (AVG).",
    # --- sentences
    "score.headline": "{release}: AVG {avg}, from UTL {utl} ({loss}) and SEC {sec} ({attack}).",
    "score.headline.utility": "{release}: UTL {utl} ({loss}).",
    "score.winner": "{release} is best, with AVG {avg}.",
    "score.winner.utility": "{release} loses least, with UTL {utl}.",
    "score.original": "The original has {records} records of {users} users in {periods} periods of a {unit}.",
    "score.left_out": "{records} records of it lack a user, a date or an item and were left out.",
    "score.surviving": "{release} keeps {share} of them.",
    "score.too_few": "{release} keeps less than half of them: the contest did not take such a release.",
    "score.users_left_out": "{release}: recommendations leave out who has more different items than {most}; "
    "users and pseudonyms: {counts}.",
    "score.users_left_out_of": "{loss} {users} and {pseudonyms}",
    "score.totals": "UTL {utl}   SEC {sec}   AVG {avg}",
    "score.totals_of_all": "UTL {utl}   SEC {sec}   AVG {avg}   (SEC of all attacks {sec_all})",
    "score.versions": "duckrisk {duckrisk}, DuckDB {duckdb}.",
    "score.nothing_lost": "nothing is lost",
    "score.nobody_found": "nobody is found",
    "read.score.losses": "Losses: 0 serves as the original does, 1 is useless. UTL is the largest of E1 to "
    "E6.",
    "read.score.profile": "Recommendations are those of the profile {profile}; E3 is about the {top} items "
    "that most users bought.",
    "read.score.further": "Further losses do not count for UTL: rules lost or invented (support 0.01, "
    "confidence 0.3), cross tables by total variation of quantities, and means of groups by their relative "
    "error.",
    "read.score.attributes": "Attributes of too many categories make no groups: {names}.",
    "read.score.safety": "The table shows who is found in all periods (strict), by the share of the "
    "original's records that the attacker holds; SEC is the mean of an attack over these shares, and the "
    "score that of the best one.",
    "read.score.stronger": "Stronger attacks than the committee's are shown too; they and SEC of all do not "
    "count for AVG. Of them overlap-item2 knows nothing of days: where few records are known it "
    "finds fewer than S6.",
    "read.score.rates": "Strict: share of the users whose pseudonyms are right in all periods. Cell: right "
    "pseudonyms among all users and periods. Active cell: among those with records. Row: released records "
    "whose user is named.",
    "read.score.drawn": "The records that attackers hold were drawn with seed {seed} ({drawn}).",
    "read.score.avg": "AVG is the mean of UTL and SEC: low is good.",
}
