-- tree_agreement
-- How alike the predictions of two trees are, one learnt from the original and one from a release: U_DT.
--
-- definition: the F-measure 2 P R / (P + R), P = both / (both + only_release), R = both / (both + only_original)
-- source: PWS Cup 2020, equation 3
-- missing: 1 where neither tree predicts a positive, 0 where only one does
-- portable: yes
--
-- parameter both: integer, records that both trees take for positive
-- parameter only_release: integer, that only the tree of the release does
-- parameter only_original: integer, that only the tree of the original does
SELECT
    COALESCE(CAST(2 * {{ both }} AS DOUBLE) / NULLIF(2 * {{ both }} + {{ only_release }} + {{ only_original }}, 0), 1) AS value
