"""216 pupils and their scores, a published example."""

from __future__ import annotations

#: StudentsMath_Score of pyCANON's examples (Apache-2.0), by teacher: a word a pupil, which is gender, origin,
#: lunch (free or paid) and score.
_PUPILS = {
    "Ruger": """
        FAf76 FHp56 FBf34 FAp59 MHf73 MCp58 FBp62 MHf40 FBf82 MBp78 MBp64 FAp68 MHf39 MCf48 FCf66
        MAf68 FHp72 FBf60 MCf54 MAp34 FHp30 MAf43 FHp73 MBf44 MAf39 MBf67 FHp37 MCf67 MHp32 MCp64
        FAf42 MHf58 MAp33 MCf47 FBp39 MCp65 FHf36 MCp50 FCf67 FBp74 FAf75 MHp69 MHp74 MBf32 FHp52
        MBp36 MHp80 FAf30 FHf51 FHf65 FHp71 MCp40 MHp50 FAf30 FBf57 MHp34 MAf72 MBf68 MHf76 MHp54
        FBf56 MHp59 FAf72 FHf77 MBp38 MHp33 FAf55 MBp51 FAp69 MAp48 FBp52
    """,
    "Smith": """
        MAp60 FHp47 MBf62 MCp55 FHp50 MHf69 MBp72 MBf80 MAf85 FBp68 MHf45 FHf82 MAp51 MCf49 FBf72
        FCp89 MBp65 FAp85 MBp80 FCf65 MHf91 FCp79 MHf79 MHp62 MAp87 MBp46 MAp48 MAp87 MAp95 FAp91
        FCp53 FCp83 MBf77 MBf67 MCp52 MHf57 FHf69 FHf92 FBf68 FAp48 FCp61 FAf57 FBp91 FCf84 MHp71
        MAp64 FCp51 MBf95 MAp84 MHp79 FHp66 MAf76 MBf87 MCf73 FHp74 MCf60 MAp53 FCp60 MAf65 MAp52
        MBp48 FCp95 FAp86 MHp82 MBf60 FHp84 MAp53 FAp71 MHf59
    """,
    "Wesson": """
        MCp51 MHf71 MBf77 FAp85 FCp89 MAf62 MHf59 MAf61 MBf89 MBp61 MBf93 MCf70 FCf61 MBp46 FHf52
        FAf82 MCf59 FHp78 MBf73 FAf93 FHf88 MCf63 MAf79 MHp57 FCp91 FHf76 MCf68 MBp85 FHf53 MBp48
        MHf53 MAf66 FHp83 FAf65 FHf58 MHp67 MHp57 FAf82 FCp58 FBf87 FHf68 FAf70 FBf63 MAf52 MHf72
        FBf83 MCf45 MHp81 FBp65 MBf89 FCp64 FAp85 MCp90 FHf64 FCp68 FHp84 FBf83 FAp93 MCp47 FHf83
        FAf53 MCp79 MAf87 MBp89 FAp56 FHp83 MCp45 MCp75 FCf58 FBf72 MCp79 MBp56 MHf94 MHp91 FBp53
        MHp57
    """,
}
#: Teacher, gender, origin, lunch, score.
STUDENTS = [
    (teacher, word[0], word[1], word[2], int(word[3:]))
    for teacher, words in _PUPILS.items()
    for word in words.split()
]
