"""The words of the section on identifiability and of the checklist; part of the catalogue in ``text``."""

from __future__ import annotations

ENGLISH = {
    # --- names of sections and figures
    "of_identifiability": "Who can be singled out",
    "of_ease": "How easily",
    "of_scenarios": "What somebody would learn: the most valuable scenarios",
    "of_sets": "What singles people out",
    "of_parts": "Which attributes make people stand out",
    "of_helps": "What would bring the value down",
    "of_search": "How sure this is",
    "of_levels": "How sensitive each attribute is",
    "of_units": "The same with the user as the unit",
    "of_checklist": "What this run shows under the rules",
    # --- heads of tables, facts, figures
    "singled_out": "Singled out",
    "not_singled_out": "Not singled out",
    "ease": "Ease",
    "set": "Attributes known together",
    "value_in": "Value ({currency})",
    "value_then": "Value then ({currency})",
    "value_without": "Value without it ({currency})",
    "singled_out_then": "Singled out then",
    "records_with": "Records singled out with it",
    "share_of_singled_out": "Part",
    "part_short": "Part",
    "change": "Change",
    "kind_of_data": "Type",
    "economic": "E",
    "psychological": "P",
    "level_source": "Level",
    "level.given": "given",
    "level.proposed": "proposed",
    "no_type": "E and P as given",
    "framework": "Rule",
    "item": "Item",
    "requirement": "It asks",
    "evidence": "This run shows",
    "status": "That",
    "status.supports": "supports the assessment",
    "status.against": "speaks against it",
    "status.not_shown": "is not shown",
    "status_short.supports": "supports",
    "status_short.against": "against",
    "status_short.not_shown": "not shown",
    "money": "{amount} {currency}",
    "leak_value": "Value of a leak",
    "of_users": "of {users} users",
    "million": "{amount} million",
    "billion": "{amount} billion",
    "trillion": "{amount} trillion",
    "two": "{first} {second}",
    "of_records": "of {records} records",
    "of_records_open": "or more of {records} records",
    "by_jo": "{currency}; {jo} by the JO model",
    "axis.ease": "ease",
    "axis.people": "records",
    "axis.value": "value ({currency})",
    "axis.part": "part",
    "axis.without": "without it",
    "legend.singled_out": "singled out so easily",
    "legend.not_singled_out": "not singled out",
    "legend.part": "part in singling out",
    "legend.fall": "the value falls by so much without it",
    "tip.ease": "ease {ease}: {records} records, {value}",
    "tip.set": "{names}: {records} records, {value}",
    # --- the main sentences
    "single.some": "{singled_out} of {records} records can be singled out by what somebody may know of a "
    "person; what a leak would tell is worth {value} ({jo} by the JO model).",
    "single.every": "Every one of the {records} records can be singled out by what somebody may know of a "
    "person; what a leak would tell is worth {value} ({jo} by the JO model).",
    "single.open": "At least {singled_out} of {records} records can be singled out by what somebody may "
    "know of a person; what a leak would tell is worth {value} or more ({jo} by the JO model).",
    "single.nobody": "No record can be singled out, even by all attributes together; what a leak would tell "
    "is worth {value} ({jo} by the JO model).",
    "single.ease": "Ease runs from 0 (no attribute set singles the record out) to 2 (one ordinary attribute "
    "is enough): fewer and less sensitive attributes are easier to know.",
    "single.named": "Above 2 the record itself says who it is: 3 with a name, or with an address and a "
    "phone number, 6 with a name and an address.",
    "single.jo": "By the JO model alone a record is worth up to {each} (sensitivity {sensitivity}, "
    "identifiability {identifiability}) and the table {total}.",
    "single.compensation": "With social responsibility {social} and response {response}, the compensation "
    "would be {compensation}.",
    # --- scenarios
    "scenario": "Record {record} is the only one with {cells}. {learns} Value: {value}.",
    "scenario.named": "Record {record} says who it is: {cells}. {learns} Value: {value}.",
    "scenario.cell": "{name} = ‹{cell}›",
    "scenario.masked": "…",
    "scenario.missing": "missing",
    "scenario.learns": "Who knows that learns {names}.",
    "scenario.learns_nothing": "Nothing else is told of it.",
    "scenario.also_one": "{scenario} One other set singles it out as easily.",
    "scenario.also": "{scenario} {count} other sets single it out as easily.",
    "scenario.like_one": "{scenario} The same holds of record {records}.",
    "scenario.like": "{scenario} The same holds of records {records}.",
    "scenario.first": "Shown are {shown} of {count} records that can be singled out, the most valuable "
    "first.",
    "scenario.ties": "The limit ended the search among equally easy sets: a record of the lowest ease may "
    "have others that single it out as easily.",
    "scenario.masked_note": "‹…› stands for a value of the record; --show-values shows it.",
    "and": "{first} and {last}",
    # --- sets, attributes, what would help
    "read.sets_short": "Each record counts under the easiest set that singles it out, the first of several.",
    "read.parts_short": "Part: the share of the singled-out records that are singled out most easily with "
    "it.",
    "read.without_short": "Without it: what a leak would be worth if the attribute were left out.",
    "helps.coarser": "Published {coarser} and nowhere finer, {what} would leave {after} of {before} "
    "({change}), and {singled_out} records could be singled out.",
    "helps.without": "Left out altogether, {what} would leave {after} of {before} ({change}).",
    "helps.not_asked": "What would bring the value down was not computed, since the search took long; "
    "--what-if asks for it.",
    "helps.incomplete": "What would bring the value down is computed only where the search comes to its end.",
    # --- the search, limits, missing values
    "search.all": "All {possible} attribute sets were examined.",
    "search.one": "The only attribute set was examined.",
    "search.some": "{examined} of {possible} attribute sets were examined; not examined: {why}.",
    "search.adds_nothing": "{count} that add nothing to a smaller set",
    "search.settles_nobody": "{count} that could settle nobody who was left",
    "search.all_settled": "{count} when everybody was settled",
    "search.limit": "{count} because of the limit",
    "search.exact": "The result is exact.",
    "missing.other_not_searched": "What the other rule for missing cells gives was not searched; --thorough "
    "asks for it.",
    "limit.max_sets": "The limit of sets (max_sets) ended the search",
    "limit.max_size": "The limit of attributes in a set (max_size) ended the search",
    "limit.time_limit": "The limit of time (time_limit) ended the search",
    "limit.built_in": "The built-in limit ended the search (--thorough lifts it)",
    "limit.too_many_sets": "Too many equally easy sets ended the search (--attribute chooses fewer "
    "attributes)",
    "limit.open": "{limit}: {unknown} {unit} may still be singled out, with an ease of at most {ease}. What "
    "was found is exact.",
    "limit.open_any": "{limit}: {unknown} {unit} may still be singled out. What was found is exact.",
    "limit.settled": "{limit}, but nobody was left open by it.",
    "unit.records": "records",
    "unit.users": "users",
    "missing.none": "{cells} cells are missing; a missing cell tells nothing here.",
    "missing.value": "{cells} cells are missing; missing is a value like any other here.",
    "missing.other_none": "If a missing cell told nothing, {singled_out} records could be singled out, "
    "worth {value}.",
    "missing.other_value": "If missing were a value like any other, {singled_out} records could be singled "
    "out, worth {value}.",
    # --- levels
    "levels.provisional": "The sensitivity levels of {names} are proposals that nobody has confirmed: "
    "[levels] in duckrisk.toml decides, or --level.",
    "levels.unleveled": "{name} has no sensitivity level and was left out. The nearest types are {types}; "
    "to take it in, add under [levels] in duckrisk.toml: {line}",
    "levels.unleveled_more": "{count} more columns have no sensitivity level and were left out: {names}.",
    "read.levels": "The economic (E) and the psychological (P) level of a leak, 1 to 3 each. An attribute "
    "that is more sensitive is harder to know and worth more.",
    # --- users
    "units": "With the user as the unit, {singled_out} of {users} users can be singled out: some "
    "combination of theirs is held by nobody else. That is worth {value} ({jo} by the JO model).",
    "units.open": "With the user as the unit, at least {singled_out} of {users} users can be singled out: "
    "some combination of theirs is held by nobody else. That is worth {value} or more ({jo} by the JO "
    "model).",
    "units.nobody": "With the user as the unit, nobody can be singled out: every combination of theirs is "
    "held by somebody else as well.",
    # --- how to read the figures
    "read.ease": "Each line is one ease: the further right, the easier these people are to single out; the "
    "higher, the more of them.",
    "read.ease_log": "From line to line of the grid there are ten times as many.",
    "read.ease_grey": "The grey line at 0 are those whom no attribute set singles out.",
    "read.sets": "The dots of a row are the attributes that somebody knows; the bar is what a leak would "
    "tell about the people whom these attributes single out.",
    "read.sets_bars": "The bar is what a leak would tell about the people whom these attributes single out.",
    "read.parts": "The bar is the share of the singled-out records that are singled out most easily with "
    "the attribute.",
    "read.parts_fall": "The diamond is how much less a leak would be worth without it: the further right, "
    "the more it helps to leave it out.",
    # --- method
    "method.identifiability": "For every record the attribute set was searched that singles it out most "
    "easily: ease = 2 · 0.9^(attributes - 1) / (log8(sensitivity - 1) + 1), value = base · sensitivity · "
    "ease (Yamaoka and Itoh, after the JO model). A record that agrees with another in all attributes "
    "counts 0.",
    "method.not_sets": "Not assessed: free text, knowledge from outside the source, and how likely somebody "
    "is to know these attributes. A low number here is no legal opinion.",
    "method_line_sets": "duckrisk {duckrisk}, DuckDB {duckdb}",
    "doing.identifiability": "searching attribute sets",
    "doing.write_records": "writing the table of all records",
    # --- the checklist
    "read.checklist": "The numbers of this run support an assessment under a rule or speak against it; they "
    "never replace it.",
    "read.checklist_short": "The evidence for each line is in the HTML, Markdown and JSON report.",
    "check.japan": "Japan: anonymously processed information",
    "check.gdpr": "GDPR: Working Party opinion 05/2014",
    "check.hipaa": "HIPAA: de-identification",
    "check.japan.1": "Descriptions that identify a person are removed, or replaced so that nothing leads "
    "back (Act Art. 43(1), Enforcement Rules Art. 34)",
    "check.japan.2": "Individual identification codes are removed entirely",
    "check.japan.3": "Codes that link the data to the data they were made from are removed",
    "check.japan.4": "Idiosyncratic descriptions are removed",
    "check.japan.5": "Further measures in view of how records differ and of the nature of the database",
    "check.gdpr.singling out": "Nobody's records can be isolated",
    "check.gdpr.linkability": "Records of one person or group cannot be connected, within the data or beyond",
    "check.gdpr.inference": "An attribute of a person cannot be deduced with significant probability",
    "check.hipaa.(b)(1)": "An expert determines that the risk is very small, and documents it (45 CFR "
    "164.514)",
    "check.hipaa.(b)(2)(i)": "The listed identifiers are removed",
    "check.hipaa.(b)(2)(ii)": "Nobody knows how the information could identify somebody",
    "found.identifiers": "Direct identifiers are in the table: {names}.",
    "found.no_identifiers": "No column was taken for a direct identifier.",
    "found.named": "By their types, {names} name people (JO identifiability {level}).",
    "found.unread": "What these columns hold was not looked at: {names}.",
    "found.not_scanned": "The content of columns was not looked at (direct_identifiers).",
    "found.nameless": "What these columns hold, their names do not say: {names}.",
    "found.user_code": "Whether {user} holds a replacement that leads back to nobody is not shown.",
    "found.codes": "Taken for such codes by their types: {names}.",
    "found.no_codes": "By their types, no column holds such a code.",
    "found.no_types": "No types were given to the columns, so such codes were not looked for.",
    "found.untyped": "These columns have no type: {names}.",
    "found.proposed": "The types are proposals that nobody has confirmed.",
    "found.links": "{user} links up to {most} records of a user.",
    "found.gives_code": "{user} gives each user a code.",
    "found.same_codes": "Whether the data it was made from hold the same codes is not shown.",
    "found.numbers": "These columns tell records or people apart by themselves: {names}.",
    "found.no_numbers": "No column numbers records or people.",
    "found.rare_values": "{count} attributes have values that one user alone has, most of them {attribute} "
    "(records: {records}).",
    "found.rare_value": "One attribute has values that one user alone has: {attribute} (records: {records}).",
    "found.no_rare_values": "No attribute that was assessed has a value that one user alone has.",
    "found.one_attribute": "One attribute alone singles out records: {names}.",
    "found.easiest": "{records} records have the highest ease, {ease}.",
    "found.easiest_one": "One record has the highest ease, {ease}.",
    "found.singled_out": "{singled_out} of {records} records can be singled out by attributes known "
    "together.",
    "found.open": "{unknown} records were left open by a limit.",
    "found.left_out": "{count} columns are not among these attributes.",
    "found.left_out_one": "One column is not among these attributes: {names}.",
    "found.singled_out_users": "{singled_out} of {users} users can be singled out.",
    "found.no_sets": "Attributes known together were not assessed.",
    "found.below_k": "Up to {share} of the records have a value that fewer than {k} users have "
    "({attribute}).",
    "found.none_below_k": "No attribute that was assessed has a value that fewer than {k} users have.",
    "found.highest_risk": "One known value names its user with a mean probability of up to {risk} "
    "({attribute}).",
    "found.identifiers_link": "Direct identifiers link records to other tables: {names}.",
    "found.no_second": "No second table was compared.",
    "found.learns": "Whoever singles out one of {singled_out} records learns its other attributes.",
    "found.learns_nobody": "What can be deduced of those who are not singled out was not measured.",
    "found.expert": "The determination is an expert's; these numbers can be part of its documentation.",
    "found.listed": "Taken for listed identifiers: {names}.",
    "found.not_listed": "No column was taken for a listed identifier.",
    "found.dates": "Whether these are as coarse as the rule asks is not shown: {names}.",
    "found.no_run": "No run can show what somebody knows.",
}
