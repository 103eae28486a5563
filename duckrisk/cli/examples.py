"""The examples in the help of each command."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "assess": (
        "assess customers.parquet",
        "assess visits.csv --user patient_id -o report.html",
        "assess visits.csv --policy shared --evidence evidence",
        "assess visits.csv --fail-on 'class_sizes.smallest_class < 5' --junit gates.xml",
    ),
    "init": ("init customers.parquet", "init visits.csv --user patient_id --overwrite"),
    "open": ("open customers.parquet", "open visits.csv --no-browser --lang ja"),
    "tables": (
        "tables published.csv",
        "tables counts.csv --count patients --by age --by city",
        "tables counts.csv other.csv --count patients --policy shared",
        "tables visits.csv --by city --by age --user patient_id --export tables",
    ),
    "verify": ("verify evidence", "verify evidence visits.csv"),
    "advise": (
        "advise customers.parquet",
        "advise visits.csv --user patient_id --policy shared --steps 3",
        "advise visits.csv --objective value --steps 3",
    ),
    "anonymize": (
        "anonymize visits.csv --to-policy public -o out.csv",
        "anonymize visits.csv --drop name --generalize birth=year -o out.csv",
        "anonymize visits.csv --k 5 --quasi-identifier city -o out.csv",
        "anonymize visits.csv --recipe out.csv.recipe.toml -o again.csv",
        "anonymize visits.csv --drop name -o out.csv --fail-on 'released < 90'",
    ),
    "compare": (
        "compare visits.csv release.parquet",
        "compare visits.csv by_year.csv by_month.csv --aligned -o both.html",
    ),
    "sequence": (
        "sequence may.csv june.csv --user patient_id",
        "sequence may.csv june.csv --user patient_id --sensitive illness --stable city",
    ),
    "attack": (
        "attack known.csv s.csv --user customer --date bought --item product",
        "attack k.csv r.csv --original t.csv --user id --date day --item what",
        "attack visits.csv --user patient_id --noisy-days 3",
    ),
    "mcp": ("mcp tables",),
    "explain": ("explain attribute_risk", "explain options"),
    "sql list": ("sql list",),
    "sql show": (
        "sql show attribute_risk customers.parquet",
        "sql show class_sizes visits.csv --attribute age --attribute city",
    ),
    "sql macros": ("sql macros", "sql macros -o duckrisk.duckdb"),
    "pwscup anonymize": ("pwscup anonymize T.csv -o A.csv --seed 1",),
    "pwscup check": (
        "pwscup check T.csv A.csv",
        "pwscup check T.csv A.csv --guess F.csv",
    ),
    "pwscup pseudonyms": ("pwscup pseudonyms T.csv A.csv -o F.csv",),
    "pwscup release": ("pwscup release A.csv -o S.csv --seed 1",),
    "pwscup partial-knowledge": ("pwscup partial-knowledge T.csv --alpha 25 -o T25.csv",),
    "pwscup attack": (
        "pwscup attack T.csv A.csv",
        "pwscup attack S.csv --partial 25=T25.csv --master M.csv",
    ),
    "pwscup utility": ("pwscup utility T.csv A.csv",),
    "pwscup score": (
        "pwscup score T.csv A.csv",
        "pwscup score T.csv A.csv B.csv",
    ),
    "pwscup lifetimes": (
        "pwscup lifetimes T.csv",
        "pwscup lifetimes T.csv --life 1 --life all --found 0.2 --alpha 5",
    ),
    "pwscup score-2018": (
        "pwscup score-2018 T.csv A.csv",
        "pwscup score-2018 T.csv A.csv --guess F.csv",
    ),
    "membership anneal": ("membership anneal people.parquet -o made.parquet --iterations 1000",),
    "membership attack": (
        "membership attack everybody.csv made.csv --attack density -o g.csv",
        "membership attack everybody.csv made.csv --members members.csv",
    ),
    "membership exposed": ("membership exposed people.csv --most 20",),
    "membership risks": ("membership risks people.csv made.csv --control others.csv",),
    "membership score": ("membership score --population B.csv --members A.csv --guess x=g.csv",),
    "membership synthesize": (
        "membership synthesize people.parquet -o made.csv",
        "membership synthesize people.parquet -o made.csv --method rr --keep 0.8",
    ),
    "membership utility": ("membership utility people.parquet made.parquet",),
}
