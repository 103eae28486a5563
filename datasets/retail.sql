-- retail.sql: makes datasets/retail.parquet, an invented purchase history.
--
--     duckdb < datasets/retail.sql          (from the root of the repository)
--
-- What it makes: one row per line of a receipt, 400 customers of a wholesaler
-- of small gifts during one year, with the columns of UCI Online Retail that a
-- risk measurement needs: CustomerID, InvoiceDate, StockCode, UnitPrice,
-- Quantity.  All of it is invented: no row, customer or item was copied.  Only
-- the overall shape (visits by hour and weekday, common prices, pack sizes and
-- how unequal customers and items are) follows that table, in round numbers.
--
-- Why it looks as it does: the risk of an attribute depends on how many
-- customers share a value and how many rows each of them has with it.  So the
-- shape follows what real purchase histories have:
--   * a few customers buy all the time, most come once or twice;
--   * a visit is a basket: some 20 rows, all with the same minute;
--   * the shop is closed on Saturdays and holidays, busy in October and November;
--   * a few items are bought by most customers, most items by hardly anybody;
--   * customers come back for the items they bought before;
--   * an item has a price, but prices change, large orders get a discount, and
--     now and then a price is agreed by hand;
--   * quantities are pack sizes (6, 12, 24, ...), larger for cheap items.
--
-- Why it is the same everywhere: every choice is a number read from an MD5 sum
-- of what is being chosen, and all arithmetic is on integers (prices in pence).  There is no
-- random(), no floating point and no dependence on the order of rows, so
-- neither the number of threads nor the version of DuckDB changes a row.

-- pick(what, a, b, n): a number from 0 to n - 1, fixed by (what, a, b).
CREATE OR REPLACE TEMP MACRO pick(what, a, b, n) AS
    ('0x' || substr(md5('retail 1/' || what || '/' || a || '/' || b), 1, 12))::BIGINT % n;

-- Customers.  u is the rank by activity; the id says nothing about it.
CREATE OR REPLACE TEMP TABLE customers AS
SELECT u,
       (20000 + 11 * row_number() OVER (ORDER BY pick('id', u, 0, 1000000007), u)
              + pick('id gap', u, 0, 11))::INTEGER AS CustomerID,
       1 + 200 // (u * u) + 400 // (u + 20)        AS visits,       -- 220 to 1
       60 + pick('size', u, 0, 81)                 AS size_percent, -- 60 to 140
       pick('habit', u, 0, 12)                     AS habit         -- see quantities
FROM range(1, 401) t(u);

-- Days the shop is open; a day is drawn with a chance in proportion to its
-- weight, so each has a segment of the line from 0 to the sum of all weights.
CREATE OR REPLACE TEMP TABLE days AS
WITH calendar AS (
    SELECT (DATE '2010-12-01' + d::INTEGER)::DATE AS day FROM range(365) t(d)
), weighted AS (
    SELECT day,
           [4, 7, 8, 10, 12, 10, 0][1 + dayofweek(day)]                 -- Sunday first
           * CASE month(day) WHEN 9 THEN 12 WHEN 10 THEN 15 WHEN 11 THEN 20 ELSE 10 END
           AS weight
    FROM calendar
    WHERE day NOT BETWEEN DATE '2010-12-24' AND DATE '2011-01-03'
      AND day NOT BETWEEN DATE '2011-04-22' AND DATE '2011-04-25'
      AND day NOT IN (DATE '2011-04-29', DATE '2011-05-02', DATE '2011-05-30', DATE '2011-08-29')
)
SELECT day, weight,
       (sum(weight) OVER (ORDER BY day) - weight)::BIGINT AS segment_start
FROM weighted WHERE weight > 0;

-- Times of day in the same way: 7:00 to 20:59, mostly around noon.
CREATE OR REPLACE TEMP TABLE minutes AS
WITH weighted AS (
    SELECT minute,
           [3, 40, 100, 140, 105, 150, 145, 120, 110, 50, 28, 8, 10, 1][1 + minute // 60] AS weight
    FROM range(840) t(minute)
)
SELECT minute + 7 * 60 AS minute, weight,
       (sum(weight) OVER (ORDER BY minute) - weight)::BIGINT AS segment_start
FROM weighted;

-- Items, from the most to the least wanted: weights like those of Zipf's law.
-- One in three has a letter after its number (the colour).  The price is a step
-- of the list below, in pence; one item in three changes to a neighbouring step on
-- some day.
CREATE OR REPLACE TEMP TABLE prices AS
SELECT [12, 15, 19, 21, 25, 29, 32, 36, 39, 42, 45, 49, 55, 59,
        65, 69, 72, 79, 85, 89, 95, 99, 105, 115, 125, 129, 135, 145,
        149, 155, 165, 169, 179, 185, 195, 199, 210, 225, 235, 249, 255, 275,
        295, 325, 345, 375, 395, 415, 425, 465, 495, 545, 595, 635, 675, 725,
        795, 850, 895, 995, 1075, 1250, 1275, 1495, 1650, 1695, 1800, 1995,
        2495, 2995, 3495, 4995] AS steps;

CREATE OR REPLACE TEMP TABLE items AS
WITH ranked AS (
    SELECT i,
           10000000 // (i + 5) AS weight,
           -- The mean of two picks: middle prices are more common. Every other
           -- item has a favourite price (0.32, 0.55, 0.85, 1.25, 1.65, 2.10, ...).
           CASE WHEN pick('favourite', i, 0, 2) = 0
                THEN 7 + 6 * ((pick('step', i, 1, 10) + pick('step', i, 2, 10)) // 2)
                ELSE 2 +     ((pick('step', i, 1, 70) + pick('step', i, 2, 70)) // 2)
           END AS step
    FROM range(1, 2901) t(i)
)
SELECT i, weight, step,
       (20000 + 4 * row_number() OVER (ORDER BY pick('code', i, 0, 1000000007), i)
              + pick('code gap', i, 0, 4))::VARCHAR
       || CASE WHEN pick('colour', i, 0, 3) = 0
               THEN substr('ABCDEFG', 1 + pick('colour', i, 1, 7), 1) ELSE '' END AS StockCode,
       CASE WHEN pick('change', i, 0, 3) = 0
            THEN step - 1 + 2 * pick('change', i, 1, 2) ELSE step END AS later_step,
       DATE '2010-12-31' + pick('change', i, 2, 300)::INTEGER AS change_day,
       (sum(weight) OVER (ORDER BY i) - weight)::BIGINT AS segment_start
FROM ranked;

-- Baskets: the visits of each customer, each on a day, at a minute, with a
-- number of rows: half of them below 18, one in ten about 50 or more, 1 in 50 tripled.
CREATE OR REPLACE TEMP TABLE baskets AS
WITH drawn AS (
    SELECT u, CustomerID, habit, size_percent, visit,
           pick('day',    u, visit, (SELECT sum(weight)::BIGINT FROM days))    AS day_point,
           pick('minute', u, visit, (SELECT sum(weight)::BIGINT FROM minutes)) AS minute_point,
           pick('rows',   u, visit, 1000)                                      AS r,
           pick('tripled', u, visit, 50) = 0                                   AS tripled
    FROM customers, range(220) t(visit)
    WHERE visit < visits
)
SELECT u, CustomerID, habit, visit, day,
       day::TIMESTAMP + to_minutes(minute::BIGINT) AS InvoiceDate,
       1 + (29 * r * size_percent * CASE WHEN tripled THEN 3 ELSE 1 END)
           // (100 * (1400 - r))                   AS n
FROM drawn
ASOF JOIN days    ON day_point    >= days.segment_start
ASOF JOIN minutes ON minute_point >= minutes.segment_start;

-- Rows of the baskets: two in five are from the 80 things this customer always
-- buys, the others are drawn from all items.  An item is rarely twice in a basket.
CREATE OR REPLACE TEMP TABLE lines AS
WITH numbered AS (
    SELECT u, CustomerID, habit, InvoiceDate, day, visit, visit * 1000 + k AS line
    FROM baskets, range(1000) t(k)
    WHERE k < n
), drawn AS (
    SELECT *,
           CASE WHEN pick('again', u, line, 5) < 2
                THEN pick('own item', u, pick('which', u, line, 80), (SELECT sum(weight)::BIGINT FROM items))
                ELSE pick('any item', u, line, (SELECT sum(weight)::BIGINT FROM items))
           END AS item_point
    FROM numbered
)
SELECT u, CustomerID, habit, InvoiceDate, line, StockCode,
       CASE WHEN day < change_day THEN step ELSE later_step END AS step
FROM drawn ASOF JOIN items ON item_point >= items.segment_start
QUALIFY row_number() OVER (PARTITION BY u, visit, i ORDER BY line) = 1
     OR pick('twice', u, line, 10) = 0;

-- Quantities: by pack size and by the habit of the customer (0 to 2: single
-- pieces; 3 to 8: smaller packs of dearer items; 9 to 11: full cartons); besides,
-- now and then a large order in hundreds or dozens, and customers of habit 3 often
-- want an odd number.
CREATE OR REPLACE TEMP TABLE ordered AS
SELECT *,
       CASE WHEN habit = 3 AND pick('odd', u, line, 6) = 0 THEN 1 + pick('odd number', u, line, 60)
            WHEN pick('large', u, line, 400) = 0 THEN 100 * (1 + pick('hundreds', u, line, 12))
            WHEN pick('large', u, line, 400) = 1 THEN 12 * (9 + pick('dozens', u, line, 40))
            WHEN habit > 8 OR (habit > 2 AND step < 19)    -- below 0.85
            THEN [12, 12, 12, 12, 12, 12, 12, 12, 24, 24, 24, 24, 24, 24, 10, 10, 25, 25, 20, 20,
                  16, 16, 36, 36, 48, 48, 48, 72, 96, 6][1 + pick('pack', u, line, 30)]
            WHEN habit > 2 AND step < 47                   -- below 3.95
            THEN [12, 12, 12, 12, 12, 12, 12, 12, 12, 6, 6, 6, 6, 6, 6, 4, 4, 8, 8, 8,
                  10, 10, 10, 10, 24, 2, 2, 3, 3, 5][1 + pick('pack', u, line, 30)]
            ELSE [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3,
                  4, 4, 4, 4, 6, 6, 6, 8, 12, 5][1 + pick('pack', u, line, 30)]
       END::INTEGER AS Quantity
FROM lines;

-- The table.  Seventy-two or more of an item cost a tenth less; a price agreed
-- by hand (one row of 250) is anything from 0.10 to 10.09.
COPY (
    SELECT CustomerID, InvoiceDate, StockCode,
           (0.01 * CASE WHEN pick('by hand', u, line, 250) = 0 THEN 10 + pick('hand price', u, line, 1000)
                        WHEN Quantity >= 72 THEN 9 * steps[step] // 10
                        ELSE steps[step] END::INTEGER)::DECIMAL(8, 2) AS UnitPrice,
           Quantity
    FROM ordered, prices
    ORDER BY InvoiceDate, CustomerID, StockCode, UnitPrice, Quantity
) TO 'datasets/retail.parquet' (FORMAT parquet, COMPRESSION zstd);
