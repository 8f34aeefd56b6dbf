"""Queries that a read-only guard must refuse, and harmless ones that look dangerous."""

from __future__ import annotations

CYPHER, SPARQL = "Cypher", "SPARQL"

_CYPHER_HOSTILE = r"""
CREATE (n:Film {title: 'x'})
create (n:Film)
CrEaTe (n)
MERGE (n:Film {title: 'x'})
MATCH (n) SET n.title = 'x'
MATCH (n) set n.title='x' RETURN n
MATCH (n) SET n:Hacked
MATCH (n) SET n += {a: 1}
MATCH (n) DELETE n
MATCH (n) DETACH DELETE n
MATCH (n) NODETACH DELETE n
MATCH (n)-[r]->() DELETE r
MATCH (n) REMOVE n.title
MATCH (n) REMOVE n:Film
MATCH (n) RETURN n; CREATE (m)
MATCH (n) RETURN n;MATCH (m) DELETE m
RETURN 1;;CREATE (m)
CREATE (m)
MATCH (n) /* reading */ DELETE n
MATCH (n) // reading\n DELETE n
MATCH (n) /* ' */ DELETE n /* ' */
MATCH (n) WHERE n.title = '\'' DELETE n //'
MATCH (n) WHERE n.title = "'" DELETE n //"
MATCH (n) WHERE n.title = '\\' DELETE n //'
MATCH (n) WHERE n.`a``` = 1 DELETE n
MATCH (n)/**/DELETE/**/n
/* MATCH */ CREATE (n)
// MATCH (n) RETURN n\nCREATE (n)
MATCH (n)\tDELETE\tn
MATCH (n)\rDELETE n
MATCH (n) // x\rDELETE n
MATCH (n) // x\u2028DELETE n
MATCH (n) // x\x85DELETE n
MATCH (n)\x0bDELETE n
MATCH (n) RETURN n\x00
FOREACH (x IN [1, 2] | CREATE (n))
MATCH p=(a)-->(b) FOREACH (n IN nodes(p) | SET n.seen = true)
UNWIND [1] AS x CREATE (n {x: x}) RETURN n
WITH 1 AS x CREATE (n) RETURN n
WITH 1 AS x MERGE (n {a: x}) ON CREATE SET n.b = 1 RETURN n
OPTIONAL MATCH (n) DELETE n
LOAD CSV FROM 'http://evil.example/x.csv' AS row RETURN row
LOAD CSV WITH HEADERS FROM 'file:///etc/passwd' AS row RETURN row
WITH 1 AS x LOAD CSV FROM 'http://evil.example/?q=' AS row RETURN row
LOAD FROM '/etc/passwd' RETURN *
MATCH (n) LOAD FROM '/etc/passwd' RETURN *
CALL { CREATE (n) } RETURN 1
CALL { MATCH (n) DELETE n } RETURN 1
MATCH (n) CALL { WITH n SET n.x = 1 } RETURN n
MATCH (n) CALL (n) { DETACH DELETE n } RETURN 1
MATCH (n) CALL { WITH n RETURN n AS m } IN TRANSACTIONS RETURN m
MATCH (n) CALL { WITH n RETURN n AS m } IN 4 CONCURRENT TRANSACTIONS OF 10 ROWS RETURN m
MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS OF 100 ROWS
CALL apoc.cypher.doIt('CREATE (n)', {})
CALL apoc.cypher.runWrite('CREATE (n)', {})
CALL apoc.cypher.run('MATCH (n) RETURN n', {})
CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})
CALL apoc.periodic.commit('MATCH (n) DELETE n', {})
CALL apoc.create.node(['X'], {})
CALL apoc.refactor.mergeNodes([])
CALL apoc.load.json('http://evil.example')
CALL apoc.export.csv.all('/tmp/x.csv', {})
CALL apoc.trigger.add('x', 'CREATE (n)', {})
CALL apoc.systemdb.execute('DROP DATABASE neo4j', {})
MATCH (n) CALL apoc.nodes.delete(n, 10) YIELD value RETURN value
CALL `apoc`.`create`.`node`(['X'], {})
CALL `apoc.create.node`(['X'], {})
CALL /* db.labels */ apoc.create.node(['X'], {})
CALL apoc . create . node(['X'], {})
CALL dbms.security.createUser('x', 'y')
CALL dbms.killQuery('1')
CALL db.createLabel('x')
CALL db.create.setNodeVectorProperty(n, 'x', [1])
CALL db.index.fulltext.createNodeIndex('x', ['A'], ['b'])
CALL db.index.fulltext.drop('x')
CALL gds.graph.project('g', '*', '*')
CALL gds.pageRank.write('g', {})
CALL db.labels.evil()
CALL threads=8
CALL timeout=100000000
CALL clear_attached_db_cache()
CALL create_fts_index('A', 'i', ['b'])
CALL drop_vector_index('A', 'i')
CALL project_graph('g', ['A'], ['B'])
CALL sql_query('db', 'DROP TABLE x')
RETURN apoc.cypher.runFirstColumnSingle('MATCH (n) RETURN n', {})
RETURN apoc.create.vNode(['X'], {})
MATCH (n) RETURN evil.plugin.run(n)
RETURN nextval('sequence')
DROP INDEX film_title
DROP TABLE Film
DROP DATABASE neo4j
CREATE INDEX FOR (n:Film) ON (n.title)
CREATE CONSTRAINT FOR (n:Film) REQUIRE n.title IS UNIQUE
CREATE NODE TABLE Evil(id INT64, PRIMARY KEY(id))
CREATE USER x SET PASSWORD 'y'
ALTER TABLE Film ADD evil INT64
ALTER USER neo4j SET PASSWORD 'x'
GRANT ROLE admin TO x
REVOKE ROLE admin FROM x
DENY WRITE ON GRAPH * TO x
SHOW USERS
TERMINATE TRANSACTION 'x'
STOP DATABASE neo4j
COPY Film FROM 'x.csv'
COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'
EXPORT DATABASE '/tmp/x'
IMPORT DATABASE '/tmp/x'
INSTALL httpfs
LOAD EXTENSION httpfs
LOAD EXTENSION '/tmp/evil.so'
ATTACH 'other.db' AS other (dbtype lbug)
DETACH other
USE other
USE other MATCH (n) RETURN n
CALL { USE other MATCH (n) RETURN n } RETURN n
CHECKPOINT
BEGIN TRANSACTION
COMMIT
ROLLBACK
COMMENT ON TABLE Film IS 'x'
PROFILE MATCH (n) RETURN n
EXPLAIN MATCH (n) RETURN n
PROFILE CREATE (n)
CYPHER planner=cost CREATE (n)
CYPHER 5 CREATE (n) RETURN n
CYPHER x=1 MATCH (n) RETURN n
INSERT (:Film {title: 'x'})
MATCH (n) INSERT (n)-[:X]->(:Y)
ＣＲＥＡＴＥ (n)
MATCH (n) ＤＥＬＥＴＥ n
MATCH (n) DELЕTE n
MATCH (n) ЅЕТ n.x = 1
MATCH (n) ſET n.x = 1
MATCH (n) DÉLETE n
MATCH (n) DELE\u200bTE n
MATCH (n) DEL\u00adETE n
\ufeffCREATE (n)
MATCH (n) \u202eETELED n
MATCH (n)\u00a0DELETE\u00a0n
MATCH (n) RETURN n\u3000DELETE n
MATCH (n) \\u0044ELETE n
MATCH (n) WHERE n.x = '\\u0027 DELETE n //'
MATCH (n) WHERE n.`\\u0060 DELETE n //` = 1
MATCH (n) // \\u000a DELETE n
MATCH (n) WHERE n.x > 1.SET n.y = 2
MATCH (n) WHERE n.x > 1SET n.y = 2
MATCH (n) WHERE n.x > 1e.SET n.y = 2
MATCH (n) WHERE n.x = '\\uu0027 DELETE n //'
MATCH (n) WHERE n.x = 'unclosed DELETE n
MATCH (n) /* unclosed DELETE n
MATCH (n:`unclosed) DELETE n
MATCH (n) RETURN [x IN [1] | SET n.x = 1]
MATCH (n) WHERE EXISTS { MATCH (n) DELETE n } RETURN n
MATCH (n) RETURN COLLECT { CREATE (m) RETURN m }
MATCH (n) RETURN n UNION CREATE (m) RETURN m
MATCH (n) RETURN n UNION ALL MATCH (m) DELETE m RETURN m
MATCH (n) WITH n.CREATE (m)
:param x => 1
(n)-[:A]->(m)
"""
_SPARQL_HOSTILE = r"""
INSERT DATA { <urn:a> <urn:b> <urn:c> }
DELETE DATA { <urn:a> <urn:b> <urn:c> }
DELETE WHERE { ?s ?p ?o }
insert { ?s <urn:x> 1 } where { ?s ?p ?o }
DELETE { ?s ?p ?o } INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }
WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }
LOAD <http://evil.example/x.ttl>
LOAD SILENT <file:///etc/passwd> INTO GRAPH <urn:g>
CLEAR ALL
CLEAR GRAPH <urn:g>
CREATE GRAPH <urn:g>
DROP ALL
DROP SILENT GRAPH <urn:g>
COPY <urn:a> TO <urn:b>
MOVE <urn:a> TO <urn:b>
ADD <urn:a> TO DEFAULT
SELECT * WHERE { ?s ?p ?o } ; INSERT DATA { <urn:a> <urn:b> 1 }
SELECT * WHERE { ?s ?p ?o } ; SELECT * WHERE { ?s ?p ?o }
SELECT * WHERE { ?s ?p ?o } INSERT DATA { <urn:a> <urn:b> 1 }
PREFIX ex: <urn:x> INSERT DATA { ex:a ex:b 1 }
PREFIX ex: <urn:x>
BASE <urn:x> DELETE WHERE { ?s ?p ?o }
# SELECT\nINSERT DATA { <urn:a> <urn:b> 1 }
SELECT * # \rINSERT DATA { <urn:a> <urn:b> 1 }
SELECT * { SERVICE <http://evil.example/sparql> { ?s ?p ?o } }
SELECT * { SERVICE SILENT <http://evil.example/sparql> { ?s ?p ?o } }
SELECT * { service ?where { ?s ?p ?o } }
SELECT * { { SELECT * { SERVICE <http://evil.example/> { ?s ?p ?o } } } }
SELECT * FROM <http://evil.example/x.ttl> { ?s ?p ?o }
SELECT * FROM NAMED <file:///etc/passwd> { GRAPH ?g { ?s ?p ?o } }
ASK FROM <http://evil.example/x.ttl> { ?s ?p ?o }
CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }
DESCRIBE <urn:a>
DEFINE get:soft "replace" SELECT * FROM <http://evil.example/> { ?s ?p ?o }
define input:inference "x" SELECT * { ?s ?p ?o }
ＩＮＳＥＲＴ DATA { <urn:a> <urn:b> 1 }
SELECT * { ЅERVIСE <http://evil.example/> { ?s ?p ?o } }
SELECT * { SERV\u200bICE <http://evil.example/> { ?s ?p ?o } }
SELECT * { \\u0053ERVICE <http://evil.example/> { ?s ?p ?o } }
SELECT * { ?s ?p "\\u0022 } ; DROP ALL #" }
SELECT * { ?s ?p "unclosed } ; DROP ALL
SELECT * { ?s ?p '''unclosed'' } ; DROP ALL
SELECT * { ?s ?p "\\" } ; DROP ALL #" }
SELECT (bif:exec('drop table x') AS ?x) { ?s ?p ?o }
SELECT (<bif:exec>('drop table x') AS ?x) { ?s ?p ?o }
SELECT (sql:evil() AS ?x) { }
SELECT (LONG::bif:exec('drop table x') AS ?x) { ?s ?p ?o }
PREFIX b: <bi> SELECT (b:f:exec('drop table x') AS ?x) { ?s ?p ?o }
PREFIX b: <BI> PREFIX b: <urn:x> SELECT (b:f:exec('drop table x') AS ?x) { ?s b: <urn:y> }
SELECT * { ?s ?p '\\uu0027 } SERVICE <http://evil.example/> { ?a ?b ?c } #'}
SELECT (<java:java.lang.Runtime.exec>('x') AS ?x) { }
SELECT * { ?s ?p ?o . FILTER(<file:///etc/passwd>(?o)) }
SELECT * { ?s ?p <urn:a>.SERVICE <http://evil.example/> { ?a ?b ?c } }
PREFIX e: <urn:> SELECT * { ?s ?p e:a.SERVICE <http://evil.example/> { ?a ?b ?c } }
sparql INSERT DATA { <urn:a> <urn:b> 1 }
"""
_CYPHER_HARMLESS = r"""
MATCH (n:Film) RETURN n.title
MATCH (n) WHERE n.set = 1 RETURN n.delete
MATCH (n {set: 1, create: 'x'}) RETURN n.merge
MATCH (n:Film) WHERE n.title = 'DELETE' RETURN n
MATCH (n:Film) WHERE n.title = 'It''s; DROP TABLE Film' RETURN n
MATCH (n:Film) WHERE n.title = "CREATE (n)" RETURN n
MATCH (n:Film) WHERE n.title = 'it\'s DELETE n' RETURN n
MATCH (n:Film) WHERE n.title CONTAINS '; MATCH (m) DELETE m' RETURN n
MATCH (n:`Create`) RETURN n
MATCH (n:Create) RETURN n
MATCH (n:`DETACH DELETE`) RETURN n
MATCH (a)-[:MERGE]->(b) RETURN b
MATCH (a)-[:`SET`]->(b) RETURN b
MATCH (a)-[r:REMOVE]-(b) RETURN r
MATCH (n) RETURN n.name AS `set`
MATCH (n) // DELETE n\nRETURN n
MATCH (n) /* CREATE (m) */ RETURN n
MATCH (n) /* ' */ RETURN n /* ' */
MATCH (n) RETURN n;
MATCH (n) RETURN n ;
RETURN 1; // done
MATCH (created:Film) RETURN created.dataset
MATCH (n) WHERE n.settings = 1 RETURN n.deleted_at
MATCH (asset:Asset) RETURN asset.offset
MATCH p=(start:A)-[*1..3]->(end:B) RETURN p
MATCH (n) WHERE n.created > date('2020-01-01') RETURN count(n) AS updates
MATCH (n) RETURN date.truncate('year', n.born) AS year
MATCH (n) RETURN apoc.text.join(n.names, ', ')
MATCH (n) RETURN apoc.coll.toSet(n.names)
CALL db.labels()
CALL db.labels() YIELD label RETURN label
CALL db.schema.visualization()
CALL show_tables() RETURN *
CALL table_info('Film') RETURN *
CALL db.index.fulltext.queryNodes('names', 'delete') YIELD node RETURN node
CALL { MATCH (n) RETURN n LIMIT 3 } RETURN n
MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN count(m) AS c } RETURN n, c
MATCH (n) WHERE EXISTS { MATCH (n)-[:SET]->(m) } RETURN n
MATCH (n) RETURN COUNT { (n)-->() } AS set_size
UNWIND ['CREATE', 'DELETE'] AS word RETURN word
WITH {delete: 1, set: 2} AS map RETURN map.set
OPTIONAL MATCH (n:Load) RETURN n.load
MATCH (n) WHERE n.name STARTS WITH '//' RETURN n
MATCH (n) WHERE n.name = 'Zoë Ünlü' RETURN n
MATCH (n:Città) RETURN n.größe
MATCH (n) WHERE n.name = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645' RETURN n
MATCH (n) WHERE n.name = $set RETURN n
MATCH (n) RETURN [x IN n.names WHERE x <> 'SET' | x] AS names
MATCH (a)<-[:A|B]-(b) RETURN a LIMIT 5
MATCH (a) WHERE a.x >= 1.5e3 AND a.y <= .5 RETURN a ORDER BY a.x DESC SKIP 2 LIMIT 3
MATCH (t:Transaction) RETURN t.transactions
MATCH (t) WHERE t.x IN [1, 2] RETURN count(t) AS transactions
MATCH (a)-[r]->(b) RETURN a UNION MATCH (c) RETURN c AS a
"""
_SPARQL_HARMLESS = r"""
SELECT * WHERE { ?s ?p ?o }
ASK { ?s ?p "DELETE WHERE { ?s ?p ?o }" }
SELECT ?delete ?insert WHERE { ?delete ?p ?insert }
PREFIX delete: <urn:delete/> SELECT * { ?s delete:insert ?o }
PREFIX ex: <urn:x/> SELECT * { ?s ex:load ?o . ?o ex:drop ?x }
SELECT * { ?s <http://example.org/DELETE> ?o }
SELECT * { ?s <http://example.org/a#INSERT> ?o } # DROP ALL
SELECT * { ?s ?p '''it's; DROP ALL''' }
SELECT * { ?s ?p "a \"quoted\" DROP ALL" }
SELECT * { ?s a ?type ; <urn:a> ?x , ?y ; <urn:b> "c"@en }
SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?o < 5 && ?o > 2) }
SELECT * { ?s <urn:a>/<urn:b>* ?o . ?o ^<urn:c>+ ?x }
SELECT * { ?s ?p ?o FILTER(REGEX(STR(?o), "insert", "i")) } LIMIT 3
SELECT * { GRAPH ?g { ?s ?p ?o } }
SELECT * { ?s ?p ?o FILTER NOT EXISTS { ?s <urn:clear> ?o } }
SELECT * { VALUES ?x { "CLEAR ALL" <urn:create> } ?s ?p ?x }
SELECT * { _:load ?p ?o }
BASE <http://example.org/> PREFIX : <#> SELECT * { :a ?p 1.5 . ?b ?q -2e3 }
SELECT ?s (GROUP_CONCAT(?o; separator="; DROP ALL; ") AS ?all) { ?s ?p ?o } GROUP BY ?s
SELECT * { ?o bif:contains "delete" }
"""


def _written(lines: str, language: str) -> list[tuple[str, str]]:
    """Return the queries of a list; ``\\n`` and other escapes stand for the characters, two backslashes for one."""
    escapes = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\x00": "\x00", "\\x0b": "\x0b", "\\x85": "\x85"}
    queries = []
    for line in lines.strip().splitlines():
        text = line.replace("\\\\u", "\x01")
        for escape, character in escapes.items():
            text = text.replace(escape, character)
        for code in ("2028", "200b", "00ad", "feff", "202e", "00a0", "3000", "0645", "06cc", "200c", "062e", "0648",
                     "0627", "0647"):  # fmt: skip
            text = text.replace(f"\\u{code}", chr(int(code, 16)))
        queries.append((language, text.replace("\x01", "\\u")))
    return queries


HOSTILE = _written(_CYPHER_HOSTILE, CYPHER) + _written(_SPARQL_HOSTILE, SPARQL)
HARMLESS = _written(_CYPHER_HARMLESS, CYPHER) + _written(_SPARQL_HARMLESS, SPARQL)
