-- read_csv
-- The records of text files with separated values as a relation, every choice of the reader spelled out.
--
-- portable: no
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter arguments: options, the reader's named arguments
read_csv({{ paths | literal }}{{ arguments | options }})
