"""Queries that only read, and would take all time, all memory, or fill a reply: texts by name.

They are over the graph of `hostile_queries.py`, whose 300 nodes have edges ``knows`` and ``likes``.
"""

from __future__ import annotations

_DEEP = 90  # brackets; the guard refuses more than 100

CYPHER = {
    # Ranges and lists
    "unwind a billion": "UNWIND range(1,1000000000) AS x RETURN count(x)",
    "a list of two billion": "RETURN range(1,2000000000)",
    "sum of a billion": "UNWIND range(1,1000000000) AS x RETURN sum(x)",
    "distinct of a billion": "UNWIND range(1,1000000000) AS x WITH DISTINCT x RETURN count(*)",
    "sort of a hundred million": "UNWIND range(1,100000000) AS x RETURN x ORDER BY -x LIMIT 1",
    "three unwinds": "UNWIND range(1,10000) AS x UNWIND range(1,10000) AS y "
    "UNWIND range(1,10000) AS z RETURN max(x*y*z)",
    "collect ten million": "UNWIND range(1,10000000) AS x RETURN collect(x)",
    "groups of ten million": "UNWIND range(1,10000000) AS x RETURN x % 9999991, count(*)",
    "list of lists": "UNWIND range(1,10000) AS x RETURN collect(range(1,10000))",
    "list transform": "RETURN list_transform(range(1,100000000), x -> x * x)",
    "list sort": "RETURN list_sort(range(1,100000000))",
    "list distinct": "RETURN size(list_distinct(range(1,100000000)))",
    "reduce": "RETURN list_reduce(range(1,200000000), (a, b) -> a + b)",
    "map of a million": "RETURN map(range(1,3000000), range(1,3000000))",
    # Texts
    "a text of 100 MB": "WITH repeat('a',100000000) AS s RETURN s",
    "a text of 100 GB": "RETURN size(repeat(repeat(repeat('a',10000),10000),1000))",
    "many long texts": "UNWIND range(1,10000) AS x RETURN repeat('abcdefghij',100000) + CAST(x,'STRING')",
    "texts concatenated": "UNWIND range(1,1000) AS x WITH collect(repeat('a',1000000)) AS l "
    "RETURN list_to_string(',', l)",
    "padding": "RETURN size(lpad('a', 2000000000, 'b'))",
    "regular expression with backtracking": "RETURN regexp_matches(repeat('a',1000000), '(a+)+b')",
    "regular expression over a long text": "RETURN regexp_matches(repeat('a',30000000), '(a?){50}a{50}b')",
    "regular expression with a large count": "RETURN regexp_matches('a', '((a{1,100}){1,100}){1,100}')",
    "replace": "RETURN size(regexp_replace(repeat('a',3000000), 'a', repeat('b',1000), 'g'))",
    "levenshtein": "RETURN levenshtein(repeat('a',1000000), repeat('b',1000000))",
    "string split": "RETURN size(string_split(repeat('a,',50000000), ','))",
    "substrings": "WITH repeat('ab',5000000) AS s UNWIND range(1,1000000) AS x RETURN count(substring(s, x, 5000000))",
    # Products and paths
    "product of six": f"MATCH ({'), ('.join('abcdef')}) RETURN count(*)",
    "rows of a product of four": "MATCH (a), (b), (c), (d) RETURN a, b, c, d ORDER BY a.key + b.key + c.key + d.key",
    "sums of a product": "MATCH (a), (b), (c), (d) RETURN sum(size(a.key) * size(b.key) + size(c.key) * size(d.key))",
    "recursive path": "MATCH (a)-[*1..30]->(b) RETURN count(*)",
    "rows of a recursive path": "MATCH p = (a)-[*1..30]-(b) RETURN p ORDER BY length(p) DESC",
    "all shortest paths": "MATCH p = (a)-[* ALL SHORTEST 1..30]-(b) RETURN count(p), max(length(p))",
    "trails": "MATCH p = (a)-[* TRAIL 1..30]-(b) RETURN count(p)",
    "fourteen hops": f"MATCH (a){''.join(f'--(n{i})' for i in range(14))} RETURN count(*)",
    "clique": "MATCH (a)--(b)--(c)--(d)--(e)--(a)--(c)--(e)--(b)--(d)--(a) RETURN count(*)",
    "exists in a product": "MATCH (a), (b), (c) WHERE EXISTS { MATCH (a)-[*1..10]-(b) } RETURN count(*)",
    "optional products": f"{' '.join(f'OPTIONAL MATCH (n{i})' for i in range(6))} RETURN count(*)",
    "collected nodes": "MATCH (a), (b), (c) RETURN collect(a), collect(b), collect(c)",
    # Long and deep texts
    "20,000 terms": f"RETURN {'+'.join(['1'] * 20_000)}",
    "nested lists": f"RETURN {'[' * _DEEP}1{']' * _DEEP}",
    "nested calls": f"RETURN {'abs(' * _DEEP}1{')' * _DEEP}",
    "nested CASE": f"RETURN {'CASE WHEN true THEN ' * 2_000}1{' ELSE 0 END' * 2_000}",
    "NOT 20,000 times": f"RETURN {'NOT ' * 20_000}true",
    "minus 20,000 times": f"RETURN {'- ' * 20_000}1",
    "3,000 conditions": f"MATCH (n) WHERE {' OR '.join(f'size(n.key) = {i}' for i in range(3_000))} RETURN count(*)",
    "1,000 unions": " UNION ALL ".join(["MATCH (n) RETURN count(*) AS n"] * 1_000),
    "3,000 WITH": f"WITH 1 AS a {'WITH a + 1 AS a ' * 3_000}RETURN a",
    "doubling": f"WITH 'ab' AS a {'WITH a + a AS a ' * 40}RETURN a",
    "doubling lists": f"WITH [1] AS a {'WITH [a, a, a, a] AS a ' * 40}RETURN a",
    "4,000 columns": f"MATCH (n) RETURN {', '.join(f'n.key AS c{i}' for i in range(4_000))}",
}

_P, _ANY = "<http://e/knows>", "(<http://e/a>|!<http://e/a>)"
SPARQL = {
    "product of twelve": f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'?a{i} ?p{i} ?o{i} .' for i in range(12))} }}",
    "rows of a product": "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?a ?d ?g",
    "distinct of a product": "SELECT DISTINCT ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "groups of a product": "SELECT ?a ?d (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } GROUP BY ?a ?d",
    "concatenated product": "SELECT (GROUP_CONCAT(CONCAT(STR(?a), STR(?d))) AS ?t) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "any path": f"SELECT (COUNT(*) AS ?n) {{ ?a {_ANY}* ?b . ?b {_ANY}* ?c . ?c {_ANY}* ?d }}",
    "nested stars": f"SELECT (COUNT(*) AS ?n) {{ ?a ((({_P}*)*)*)* ?b . ?b ((({_P}*)*)*)* ?c . ?c {_P}* ?d }}",
    "path of 50 steps": f"SELECT (COUNT(*) AS ?n) {{ ?a {'/'.join([_ANY] * 50)} ?b }}",
    "doubling text": "SELECT ?z { "
    + " ".join(f"BIND(CONCAT(?x{i}, ?x{i}) AS ?x{i + 1})" for i in range(40)).replace("?x0", '"ab"')
    + " BIND(STRLEN(?x40) AS ?z) }",
    "regular expression with backtracking": f'SELECT * {{ FILTER(REGEX("{"a" * 50_000}", "(a+)+b")) }}',
    "regular expression with a large count": 'SELECT * { FILTER(REGEX("a", "((a{1,100}){1,100}){1,100}")) }',
    "regular expressions in a product": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i "
    'FILTER(REGEX(STR(?a), "(9?){20}9")) }',
    "3,000 filters": f"SELECT * {{ ?a ?b ?c {' '.join(f'FILTER(?a != <http://e/{i}>)' for i in range(3_000))} }}",
    "values in a product": "SELECT (SUM(?x * ?y * ?z) AS ?n) { "
    + " ".join(f"VALUES ?{name} {{ {' '.join(map(str, range(1_000)))} }}" for name in "xyz")
    + " }",
    "20,000 terms": f"SELECT ({'+'.join(['1'] * 20_000)} AS ?n) {{}}",
    "nested expression": f"SELECT ({'(' * _DEEP}1{')' * _DEEP} AS ?n) {{}}",
    "NOT 20,000 times": f"SELECT * {{ FILTER({'!' * 20_000}true) }}",
    "nested optional": "SELECT (COUNT(*) AS ?n) { "
    f"{''.join(f'?a{i} ?p{i} ?o{i} OPTIONAL {{ ' for i in range(40))}{'}' * 40} }}",
    "unions": f"SELECT (COUNT(*) AS ?n) {{ {' UNION '.join(['{ ?a ?b ?c . ?d ?e ?f }'] * 500)} }}",
    "minus": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i MINUS { ?a ?x ?i . ?y ?z ?f } }",
}
