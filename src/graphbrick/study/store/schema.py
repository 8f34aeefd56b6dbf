"""The schema of a study: an SQLite file in WAL mode, which can be read while it is written.

``PRAGMA application_id`` marks the file as a study, ``PRAGMA user_version`` is the version of the schema. A newer
graphbrick reads the files of older ones and adds what they lack when it writes them. Keys of JSON values may be added
without a new version. Version 2 added exchanges and judgements, version 3 the identity of runs, version 4 ratings,
version 5 plans
and opinions.

runs        one pipeline on one graph. A run is known by the identity of its pipeline (what changes results, with
            checksums of files), the hash of the graph, and whether seeds were linked.
questions   a question and what one graph has of it; `dataset` and `name` (its id in the file) identify it.
asked       the questions that a run has to answer.
results     one row for each answered question; a row is complete or absent.
details     the same in words: answers, paths, stages; written together with the row in results.
exchanges   prompts and replies of language models; no row if they are not kept.
judgements  what the judge said of the first answer; a study has one judge or none.
opinions    the same of further judges.
judges      the judges that rated answers by labels, by their identity.
rating_calls  what a judge was given together, with its cost.
ratings     the probability of one label for one answer by one judge.
sittings    evaluation sessions: one for each call of `evaluate` or `judge`, with time, machine, versions and options.
files       the files that questions came from.
plans       what experiment files planned, as graphbrick.study.store.plans.Plan.

Columns that are not ids, numbers or plain texts hold JSON: the attribute of the same name in the dataclasses of
`graphbrick.study.store.records`. The view `scores` has the main measures as columns, for SQL by hand:

    SELECT runs.name, avg(scores.hits_at_1) FROM scores JOIN runs ON runs.id = scores.run GROUP BY runs.id
"""

VERSION = 5
APPLICATION = 0x67625374  # "gbSt"

FIRST = """
CREATE TABLE sittings (
  id INTEGER PRIMARY KEY,
  started TEXT NOT NULL,        -- UTC, ISO 8601
  finished TEXT,                -- NULL if it was killed
  ended TEXT NOT NULL,          -- 'running', 'done', or why it stopped
  options TEXT NOT NULL,        -- JSON: limit, seed, workers and others
  versions TEXT NOT NULL,       -- JSON: package: version
  machine TEXT NOT NULL         -- JSON: cpu, cores, memory, system, python
);
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  questions INTEGER NOT NULL,   -- questions in the file
  UNIQUE (path, sha256)
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,    -- the name in tables, such as 'recipe 12'
  recipe TEXT NOT NULL,
  graph_path TEXT NOT NULL,
  graph_hash TEXT NOT NULL,
  linked INTEGER NOT NULL,      -- 1 if seeds were looked for in the question although the file gives them
  started TEXT NOT NULL,
  finished TEXT,                -- NULL until all questions are done
  UNIQUE (recipe, graph_hash, linked)
);
CREATE TABLE questions (
  id INTEGER PRIMARY KEY,
  graph_hash TEXT NOT NULL,
  dataset TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  hops INTEGER,                 -- as stated by the file
  distance INTEGER,             -- hops from a seed to the nearest answer, NULL if none is near
  answerable INTEGER NOT NULL,  -- 1 if the graph has a gold answer
  seeds TEXT NOT NULL,          -- JSON: [[key, label], ...]
  missing_seeds TEXT NOT NULL,  -- JSON: [name, ...]
  gold TEXT NOT NULL,           -- JSON: [{"answer": as in the file, "names": [...], "keys": [...]}, ...]
  facts TEXT NOT NULL,          -- JSON
  file INTEGER REFERENCES files (id),
  digest TEXT NOT NULL,         -- checksum of the question in the file
  UNIQUE (graph_hash, dataset, name)
);
CREATE TABLE asked (
  run INTEGER NOT NULL REFERENCES runs (id),
  question INTEGER NOT NULL REFERENCES questions (id),
  PRIMARY KEY (run, question)
) WITHOUT ROWID;
CREATE TABLE results (
  run INTEGER NOT NULL REFERENCES runs (id),
  question INTEGER NOT NULL REFERENCES questions (id),
  sitting INTEGER NOT NULL REFERENCES sittings (id),
  error TEXT,                   -- NULL if the pipeline finished
  lost_at TEXT,                 -- see graphbrick.study.runs.lost; NULL without gold answers
  seconds REAL NOT NULL,
  metrics TEXT NOT NULL,        -- JSON: name: number, or null if it cannot be scored
  ledger TEXT NOT NULL,         -- JSON: calls, tokens_in, tokens_out, estimated, waited, cost, cache_hits, embedding_*
  stage_seconds TEXT NOT NULL,  -- JSON: [[stage, kind, seconds], ...]
  n_answers INTEGER NOT NULL,
  n_paths INTEGER NOT NULL,
  PRIMARY KEY (run, question)
);
CREATE TABLE details (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  seeds TEXT NOT NULL,          -- JSON: [[key, label], ...] from which the run started
  answers TEXT NOT NULL,        -- JSON: [{"text", "key", "right", "support": [text of a path, ...]}, ...], the first
  paths TEXT NOT NULL,          -- JSON: [{"text", "score", "source", "right"}, ...], the first of the evidence
  stages TEXT NOT NULL,         -- JSON: [{stage, kind, seconds, counts_in, counts_out, ..., facts, events}, ...]
  PRIMARY KEY (run, question)
);
CREATE VIEW scores AS SELECT run, question, error, lost_at, seconds,
  json_extract(metrics, '$.hits_at_1') AS hits_at_1, json_extract(metrics, '$.hit') AS hit,
  json_extract(metrics, '$.f1') AS f1, json_extract(metrics, '$.subgraph_recall') AS subgraph_recall,
  json_extract(metrics, '$.nodes') AS nodes, json_extract(metrics, '$.path_f1') AS path_f1,
  json_extract(ledger, '$.calls') AS calls, json_extract(ledger, '$.tokens_in') AS tokens_in,
  json_extract(ledger, '$.tokens_out') AS tokens_out, json_extract(ledger, '$.cost') AS cost FROM results;
"""
SINCE = {
    2: """
CREATE TABLE exchanges (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  content BLOB NOT NULL,        -- see graphbrick.study.store.exchanges
  PRIMARY KEY (run, question)
);
CREATE TABLE judgements (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  judge TEXT NOT NULL,          -- the recipe text of the model
  right INTEGER,                -- NULL if the verdict could not be read, or the model failed
  by TEXT NOT NULL,             -- 'no answer', 'equality' or 'model'
  error TEXT,
  seconds REAL NOT NULL,
  ledger TEXT NOT NULL,         -- JSON, as in results
  events TEXT NOT NULL,         -- JSON: [text, ...]
  exchanges BLOB,               -- as in exchanges; NULL if exchanges are not kept
  PRIMARY KEY (run, question)
);
""",
    3: """
CREATE TABLE runs_3 (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  recipe TEXT NOT NULL,
  graph_path TEXT NOT NULL,
  graph_hash TEXT NOT NULL,
  linked INTEGER NOT NULL,
  started TEXT NOT NULL,
  finished TEXT,
  identity TEXT,                -- of the pipeline (graphbrick.pipeline.identity); NULL in runs of older versions
  digests TEXT,                 -- JSON: path: sha256, of the files that the pipeline names
  UNIQUE (identity, graph_hash, linked)
);
INSERT INTO runs_3 SELECT id, name, recipe, graph_path, graph_hash, linked, started, finished, NULL, NULL FROM runs;
DROP TABLE runs;
ALTER TABLE runs_3 RENAME TO runs;
""",
    4: """
CREATE TABLE judges (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,  -- what changes its verdicts
  name TEXT NOT NULL              -- as it was named on the command line
);
CREATE TABLE rating_calls (
  id INTEGER PRIMARY KEY,
  judge INTEGER NOT NULL REFERENCES judges (id),
  label TEXT NOT NULL,
  sitting INTEGER NOT NULL REFERENCES sittings (id),
  cases INTEGER NOT NULL,
  seconds REAL NOT NULL,
  ledger TEXT NOT NULL,           -- JSON, as in results
  events TEXT NOT NULL            -- JSON: [text, ...]
);
CREATE TABLE ratings (
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  judge INTEGER NOT NULL REFERENCES judges (id),
  label TEXT NOT NULL,
  probability REAL,               -- NULL if the judge failed, or could not be read
  reason TEXT NOT NULL,
  call INTEGER NOT NULL REFERENCES rating_calls (id),
  PRIMARY KEY (run, question, judge, label)
) WITHOUT ROWID;
""",
    5: """
CREATE TABLE plans (
  file TEXT PRIMARY KEY,          -- its name without folders
  content TEXT NOT NULL           -- JSON: graphbrick.study.store.plans.Plan
);
CREATE TABLE opinions (           -- columns as in judgements
  run INTEGER NOT NULL,
  question INTEGER NOT NULL,
  judge TEXT NOT NULL,
  right INTEGER,
  by TEXT NOT NULL,
  error TEXT,
  seconds REAL NOT NULL,
  ledger TEXT NOT NULL,
  events TEXT NOT NULL,
  exchanges BLOB,
  PRIMARY KEY (run, question, judge)
);
""",
}
"""Additions of each version of the schema."""
