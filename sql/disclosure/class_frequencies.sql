-- class_frequencies
-- Makes the empty table of how many classes have which size.
--
-- definition: class_size agree with a class, itself among them; "records" are the units (records or users) in classes
--   of that size, which is classes times class_size where classes do not overlap
-- portable: yes
CREATE OR REPLACE TEMP TABLE class_frequencies (
    missing VARCHAR, unit VARCHAR, class_size BIGINT, classes BIGINT, records BIGINT, incomplete BIGINT
)
