-- engine_limits
-- How many threads the engine uses, and its memory limit as it writes it, such as 18.8 GiB.
--
-- portable: no
SELECT current_setting('threads') AS threads, current_setting('memory_limit') AS memory
