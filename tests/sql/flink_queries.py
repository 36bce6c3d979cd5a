"""Queries as Flink users write them, each with what it is: stateful, a copy of one table, or a stateless projection."""

TUMBLE = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
STATEFUL = {
    "tumble, positional": f"SELECT window_start, SUM(price) FROM {TUMBLE} GROUP BY window_start, window_end",
    "tumble alone": f"SELECT * FROM {TUMBLE}",
    "tumble with an alias": f"SELECT w.a FROM {TUMBLE} AS w",
    "tumble, named arguments": (
        "SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' MINUTES))"
    ),
    "tumble with an offset": (
        "SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '8' HOUR))"
    ),
    "tumble without TABLE()": "SELECT * FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)",
    "tumble, named, without TABLE()": (
        "SELECT a FROM TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' SECOND) AS w"
    ),
    "tumble over a qualified table": (
        "SELECT * FROM TABLE(TUMBLE(TABLE `cat`.`db`.`t`, DESCRIPTOR(`ts`), INTERVAL '1' MINUTE))"
    ),
    "tumble over a query": (
        "SELECT * FROM TABLE(TUMBLE((SELECT * FROM t WHERE a > 1), DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
    ),
    "hop": "SELECT * FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES))",
    "hop, named": (
        "SELECT * FROM TABLE(HOP(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SLIDE => INTERVAL '5' MINUTE, "
        "SIZE => INTERVAL '10' MINUTE))"
    ),
    "cumulate": ("SELECT * FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES))"),
    "session": "SELECT * FROM TABLE(SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTES))",
    "session with partition": (
        "SELECT * FROM TABLE(SESSION(TABLE t PARTITION BY user_id, DESCRIPTOR(ts), INTERVAL '5' MINUTES))"
    ),
    "session with partitions, named": (
        "SELECT * FROM TABLE(SESSION(DATA => TABLE t PARTITION BY (a, b), TIMECOL => DESCRIPTOR(ts), "
        "GAP => INTERVAL '5' MINUTES))"
    ),
    "set semantics with ORDER BY": "SELECT * FROM f(TABLE t PARTITION BY a ORDER BY ts, 'x')",
    "group window": "SELECT TUMBLE_START(ts, INTERVAL '1' HOUR) AS s FROM t GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
    "group window hop": (
        "SELECT HOP_END(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR) AS e, u FROM t "
        "GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '1' HOUR), u"
    ),
    "group window session": (
        "SELECT SESSION_START(ts, INTERVAL '12' HOUR) FROM t GROUP BY SESSION(ts, INTERVAL '12' HOUR)"
    ),
    "match_recognize": (
        "SELECT T.aid, T.bid FROM t MATCH_RECOGNIZE (PARTITION BY userid ORDER BY proctime "
        "MEASURES A.id AS aid, LAST(B.id) AS bid ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW "
        "PATTERN (A B+? C*) WITHIN INTERVAL '1' HOUR DEFINE A AS name = 'a', B AS B.price > PREV(B.price)) AS T"
    ),
    "match_recognize without WITHIN": (
        "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY s ORDER BY ts MEASURES FIRST(A.ts) AS s0, AVG(A.p) AS p "
        "ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (A{3,} B) DEFINE A AS A.p < 10) MR"
    ),
    "match_recognize skipping to a variable": (
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES MATCH_ROWTIME() AS rt ALL ROWS PER MATCH "
        "AFTER MATCH SKIP TO FIRST B PATTERN (A B) DEFINE A AS TRUE, B AS LAST(A.x, 1) IS NULL)"
    ),
    "match_recognize with an interval to a unit": (
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.x AS x PATTERN (A B) "
        "WITHIN INTERVAL '10' SECOND(3) DEFINE A AS x = 1) AS m"
    ),
    "lateral table": "SELECT a, w FROM t, LATERAL TABLE(f(x)) AS t2(w)",
    "cross join lateral table": "SELECT a, w, l FROM t CROSS JOIN LATERAL TABLE(split(x, ' ')) AS s(w, l)",
    "left join lateral table": "SELECT a, w FROM t LEFT JOIN LATERAL TABLE(f(x)) AS s(w) ON TRUE",
    "cross join unnest": "SELECT o.id, tag FROM orders AS o CROSS JOIN UNNEST(o.tags) AS u (tag)",
    "unnest with ordinality": "SELECT id, x, n FROM t CROSS JOIN UNNEST(xs) WITH ORDINALITY AS u (x, n)",
    "comma join": "SELECT a.x, b.y FROM a, b WHERE a.id = b.id",
    "inner join": "SELECT a.x FROM a JOIN b ON a.id = b.id",
    "left outer join": "SELECT a.x FROM a LEFT OUTER JOIN b USING (id)",
    "natural join": "SELECT * FROM a NATURAL JOIN b",
    "interval join": ("SELECT * FROM o, s WHERE o.id = s.oid AND o.ts BETWEEN s.ts - INTERVAL '4' HOUR AND s.ts"),
    "lookup join": ("SELECT o.id, c.zip FROM o JOIN c FOR SYSTEM_TIME AS OF o.proc_time AS c ON o.cid = c.id"),
    "temporal join, alias after": (
        "SELECT o.id FROM o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
    ),
    "join with a hint": "SELECT /*+ BROADCAST(b) */ a.x FROM a JOIN b ON a.id = b.id",
    "group by": "SELECT a, COUNT(DISTINCT b) AS n FROM t GROUP BY a HAVING COUNT(*) > 1",
    "aggregate with filter": "SELECT COUNT(*) FILTER (WHERE a > 1) FROM t",
    "aggregate without group by": "SELECT MAX(a) FROM t",
    "grouping sets": "SELECT a, b, SUM(c) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())",
    "cube": "SELECT a, b, SUM(c), GROUPING_ID(a, b) FROM t GROUP BY CUBE (a, b)",
    "rollup": "SELECT a, b, SUM(c) FROM t GROUP BY ROLLUP (a, b)",
    "listagg": "SELECT LISTAGG(a, ',') FROM t",
    "collect": "SELECT COLLECT(a) FROM t",
    "percentile": "SELECT PERCENTILE(a, 0.5) FROM t",
    "percentile of several": "SELECT PERCENTILE(a, ARRAY[0.5, 0.9], 2) FROM t",
    "array_agg": "SELECT ARRAY_AGG(DISTINCT a ORDER BY b DESC) FROM t",
    "json_objectagg": "SELECT JSON_OBJECTAGG(KEY k VALUE v NULL ON NULL) FROM t",
    "json_arrayagg": "SELECT JSON_ARRAYAGG(v ABSENT ON NULL) FROM t",
    "first_value": "SELECT FIRST_VALUE(a) FROM t",
    "distinct": "SELECT DISTINCT a FROM t",
    "order by": "SELECT a FROM t ORDER BY ts ASC NULLS LAST",
    "limit": "SELECT a FROM t LIMIT 10",
    "offset and fetch": "SELECT a FROM t OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY",
    "top-n": (
        "SELECT a, b FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) AS rn FROM t) WHERE rn <= 5"
    ),
    "over range": (
        "SELECT SUM(a) OVER (PARTITION BY b ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) "
        "FROM t"
    ),
    "over rows, named window": (
        "SELECT AVG(a) OVER w, LAG(a, 1) OVER w FROM t WINDOW w AS "
        "(PARTITION BY b ORDER BY ts ROWS BETWEEN 10 PRECEDING AND CURRENT ROW)"
    ),
    "union all": "SELECT a FROM t UNION ALL SELECT a FROM s",
    "union": "(SELECT a FROM t) UNION (SELECT a FROM s)",
    "intersect all": "SELECT a FROM t INTERSECT ALL SELECT a FROM s",
    "except": "SELECT a FROM t EXCEPT SELECT a FROM s",
    "state in a CTE": "WITH c AS (SELECT a, COUNT(*) AS n FROM t GROUP BY a) SELECT a FROM c WHERE n > 3",
    "state in a derived table": "SELECT x FROM (SELECT DISTINCT a AS x FROM t) AS d",
    "in a query": "SELECT a FROM t WHERE b IN (SELECT b FROM s)",
    "exists": "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.id = t.id)",
    "not in": "SELECT a FROM t WHERE b NOT IN (SELECT b FROM s)",
    "scalar query": "SELECT a, (SELECT MAX(b) FROM s) FROM t",
    "ml_predict": "SELECT * FROM ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(a, b))",
    "ml_predict inside TABLE()": "SELECT * FROM TABLE(ML_PREDICT(TABLE t, MODEL `c`.`d`.`m`, DESCRIPTOR(a)))",
    "ml_predict, named and configured": (
        "SELECT * FROM ML_PREDICT(INPUT => TABLE t, MODEL => MODEL m, ARGS => DESCRIPTOR(a), "
        "CONFIG => MAP['async', 'true'])"
    ),
    "ml_predict, lateral": "SELECT a, label FROM t, LATERAL TABLE(ML_PREDICT('m', a))",
    "ml_evaluate": "SELECT * FROM ML_EVALUATE(TABLE t, MODEL m, DESCRIPTOR(label), DESCRIPTOR(a), 'regression')",
    "window join": (
        f"SELECT L.a FROM (SELECT * FROM {TUMBLE}) L FULL JOIN (SELECT * FROM {TUMBLE}) R "
        "ON L.a = R.a AND L.window_start = R.window_start"
    ),
    "deduplication": (
        "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY PROCTIME() ASC) AS n FROM t) WHERE n = 1"
    ),
}

COPIES = {
    "plain": "SELECT * FROM t",
    "any case and spacing": "select\n\t*\nfrom `t`",
    "qualified": "SELECT * FROM cat.db.`t`",
    "with an alias": "SELECT * FROM t AS x",
    "with a table hint": "SELECT * FROM t /*+ OPTIONS('scan.startup.mode'='earliest-offset', 'glob'='/a/*/b') */",
    "with a semicolon": "SELECT * FROM t ;  -- done",
}

STATELESS = {
    "columns": "SELECT a, b AS `group by`, `count` FROM t",
    "a column called count": "SELECT count, max FROM t WHERE sum > 1",
    "filter": "SELECT * FROM t WHERE a > 1 AND b LIKE 'GROUP BY%' ESCAPE '!'",
    "star and more": "SELECT *, a + 1 AS b FROM t",
    "star of an alias": "SELECT x.* FROM t AS x",
    "words in strings": "SELECT 'GROUP BY a', 'it''s DISTINCT' FROM t",
    "a backslash is a letter": r"SELECT 'C:\', b FROM t",
    "words in comments": "SELECT a -- GROUP BY a\n/* ORDER BY b */ FROM t // JOIN c",
    "user-defined function": "SELECT my_func(a, b), MEDIAN(a), ARG_MAX(a, b), toolkit.clean(a) FROM t",
    "cast": "SELECT CAST(a AS STRING), CAST(b AS DECIMAL(10, 2)), TRY_CAST(c AS TIMESTAMP_LTZ(3)) FROM t",
    "cast to rows": "SELECT CAST(a AS ROW<x INT, y ROW<z STRING NOT NULL, `w` ARRAY<INT>>>) FROM t",
    "cast to a row in parentheses": "SELECT CAST(a AS ROW(x INT, y VARCHAR(20))) FROM t",
    "cast to collections": (
        "SELECT CAST(a AS MAP<STRING, ARRAY<BIGINT NOT NULL>>), CAST(b AS MULTISET<STRING>), CAST(c AS INT ARRAY), "
        "CAST(d AS INT MULTISET) FROM t"
    ),
    "cast to times": (
        "SELECT CAST(a AS TIMESTAMP(3) WITH LOCAL TIME ZONE), CAST(b AS TIMESTAMP(6) WITHOUT TIME ZONE), "
        "CAST(c AS TIME(0)), CAST(d AS INTERVAL DAY TO SECOND(3)), CAST(e AS BYTES), CAST(f AS VARBINARY(20)) FROM t"
    ),
    "constructors": "SELECT ROW(a, b), ARRAY[1, 2], MAP['k', v, 'l', w], (a, b) FROM t",
    "element access": "SELECT a.b.c, arr[1], m['k'], a.b[1].c.d FROM t",
    "composite access": "SELECT (r).f, r.*, CARDINALITY(m), ELEMENT(arr) FROM t",
    "json": (
        "SELECT JSON_VALUE(j, '$.a' RETURNING INT NULL ON EMPTY ERROR ON ERROR), "
        "JSON_VALUE(j, 'lax $.b' DEFAULT 'x' ON ERROR), JSON_QUERY(j, '$.c' WITH CONDITIONAL ARRAY WRAPPER), "
        "JSON_EXISTS(j, '$.d' FALSE ON ERROR), j IS JSON OBJECT, JSON_STRING(a), JSON('{}') FROM t"
    ),
    "json constructors": (
        "SELECT JSON_OBJECT('a' VALUE b, KEY 'c' VALUE d ABSENT ON NULL), JSON_ARRAY(1, 'x' NULL ON NULL) FROM t"
    ),
    "json query returning": "SELECT JSON_QUERY(j, '$.a' RETURNING ARRAY<STRING> WITHOUT ARRAY WRAPPER) FROM t",
    "times": (
        "SELECT EXTRACT(DAY FROM ts), CEIL(ts TO HOUR), FLOOR(ts TO DAY), ts AT TIME ZONE 'UTC', "
        "TIMESTAMPADD(DAY, 1, ts), TIMESTAMPDIFF(SECOND, a, b), DATE '2026-01-02', TIME '10:11:12', "
        "TIMESTAMP '2026-01-02 10:11:12', CURRENT_TIMESTAMP, LOCALTIMESTAMP, PROCTIME() FROM t"
    ),
    "intervals": (
        "SELECT ts + INTERVAL '10' SECOND(3), ts - INTERVAL '1 10:00' DAY TO MINUTE, INTERVAL '1-2' YEAR TO MONTH, "
        "INTERVAL '90' DAY(3), ts + INTERVAL 5 MINUTE FROM t"
    ),
    "time functions": (
        "SELECT DATE_FORMAT(ts, 'yyyy-MM-dd'), TO_TIMESTAMP(s, 'yyyy'), TO_TIMESTAMP_LTZ(ms, 3), UNIX_TIMESTAMP(), "
        "FROM_UNIXTIME(s), CONVERT_TZ(s, 'UTC', 'CET'), QUARTER(d), DAYOFWEEK(d), CURRENT_WATERMARK(ts), "
        "CURRENT_ROW_TIMESTAMP(), (a, b) OVERLAPS (c, d), NOW() FROM t"
    ),
    "strings": (
        r"SELECT U&'\00e9t\00e9', U&'d!0061' UESCAPE '!', _UTF8'x', x'0F', a || b, SPLIT_INDEX(a, ',', 0), "
        "SUBSTRING(a FROM 2 FOR 3), TRIM(BOTH 'x' FROM a), POSITION('a' IN b), OVERLAY(a PLACING b FROM 1), "
        "REGEXP_EXTRACT(a, '(x)', 1), REGEXP_REPLACE(a, 'x', 'y'), REGEXP(a, 'x'), STR_TO_MAP(a), INITCAP(a), "
        "LPAD(a, 3, ' '), UUID(), MD5(a), SHA2(a, 256), TO_BASE64(a), PARSE_URL(a, 'HOST'), a LIKE '%x%', "
        "a SIMILAR TO 'x|y', PRINTF('%d', a), CONCAT_WS(',', a, b), LOCATE('x', a), ELT(1, a, b) FROM t"
    ),
    "conditions": (
        "SELECT CASE WHEN a THEN 1 ELSE 0 END, IF(a, b, c), COALESCE(a, b), NULLIF(a, b), IFNULL(a, b), "
        "GREATEST(a, b), a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b, a IS NOT TRUE, a IS UNKNOWN, "
        "a BETWEEN SYMMETRIC 1 AND 2, a NOT BETWEEN 1 AND 2, a NOT IN (1, 2), a <> b, a != b, a % 2, -a FROM t"
    ),
    "numbers": "SELECT POWER(a, 2), MOD(a, 2), ROUND(a, 1), TRUNCATE(a, 2), RAND(), 1e10, .5, 0x1F, PI() FROM t",
    "ctes": "WITH c AS (SELECT a FROM t), d (x) AS (SELECT a FROM c) SELECT x FROM d WHERE x IS NOT NULL",
    "a CTE called count": "WITH `count` (n) AS (SELECT a FROM t) SELECT n FROM `count`",
    "derived table": "SELECT x FROM (SELECT a AS x FROM t WHERE b) AS d (x)",
    "parentheses": "(SELECT a FROM t)",
    "values": "SELECT a, b FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b)",
    "reserved words in backticks": "SELECT `timestamp`, `date`, `value`, `user`, `order` FROM t",
    "words that only other systems reserve": (
        "SELECT key, type, status, name, id, version, topic, format, comment, index, list, cache, uuid, json, object, "
        "file, ref, object, settings, schema, percent, text, tag, first, last, next, kill, rename, enum, division, "
        "div, variant, vector, sequence, stream FROM t"
    ),
    "metadata columns": "SELECT `partition`, `offset`, headers['x'], $rowtime FROM t",
    "system functions": "SELECT TYPEOF(a), CAST(NULL AS INT), ARRAY_CONTAINS(a, 1) FROM t",
    "array functions": (
        "SELECT ARRAY_DISTINCT(a), ARRAY_CONCAT(a, b), ARRAY_POSITION(a, 1), ARRAY_SLICE(a, 1, 2), ARRAY_MAX(a), "
        "ARRAY_JOIN(a, ','), MAP_KEYS(m), MAP_VALUES(m), MAP_ENTRIES(m), MAP_FROM_ARRAYS(a, b), SPLIT(a, ',') FROM t"
    ),
    "arithmetic without spaces": "SELECT a+b*c/d-1 FROM t WHERE a>=b AND c<=d OR NOT (e<>f)",
}
