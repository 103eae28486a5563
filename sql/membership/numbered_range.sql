-- numbered_range
-- So many records without anything but their numbers, from 0.
--
-- portable: no
--
-- parameter records: integer, how many
(SELECT range AS record FROM RANGE({{ records }}))
