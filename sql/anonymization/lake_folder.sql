-- lake_folder
-- Says where the data files of a new DuckLake are from now on.
--
-- portable: no
--
-- parameter metadata: relation, the table of what a lake keeps about itself
-- parameter folder: text, the folder
UPDATE {{ metadata | relation }} SET value = {{ folder | literal }} WHERE key = 'data_path'
