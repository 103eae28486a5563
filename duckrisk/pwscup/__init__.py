"""The contest of 2017 on long purchase histories: releases under pseudonyms, attacks on them, and scores."""
