-- key_reached
-- Of the sets of a size, those that single out enough people, or leave a class too small.
--
-- portable: no
--
-- parameter size: integer, attributes of the sets
-- parameter share: number, of the people that are singled out at least
-- parameter k: integer, a smaller class is too small
SELECT
    mask, classes, singled_out, share_singled_out, smallest_class,
    COALESCE(share_singled_out >= {{ share | literal }}, FALSE) AS singles_out,
    COALESCE(smallest_class < {{ k | literal }}, FALSE) AS below_k
FROM set_figures
WHERE size = {{ size | literal }}
    AND (share_singled_out >= {{ share | literal }} OR smallest_class < {{ k | literal }})
ORDER BY singled_out DESC, classes DESC, mask
