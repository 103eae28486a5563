-- glob_files
-- The files that the engine finds for patterns.
--
-- portable: no
--
-- parameter patterns: texts, paths with glob characters
SELECT file
FROM glob({{ patterns | literal }})
ORDER BY file
