"""The tables of document 003 as views of a bank, so that the document's SQL runs on it.

They are read by any program. What the document writes into them (`task_trajectories`, `matts_runs`) becomes
events through `BankLog.execute`, which redacts it; another program's writes are refused by the file, as
the function `bank_write` is only there. `usage_count` counts citations and `last_used` is the last of them
(REQUIREMENTS C25); times are ISO 8601, UTC. The document keeps one trajectory a task: the view shows the
last, the bank keeps all.

Source: seeds/003, schema A to E; REQUIREMENTS F-02 to F-08, F-69.
"""

import sqlite3

TIME = "strftime('%Y-%m-%dT%H:%M:%fZ', {}, 'unixepoch')"
WRITER = "bank_write"
"""The function by which a view's triggers hand on what is written: whose row it is, its values as JSON."""

WRITTEN = {"task_trajectories", "matts_runs"}
_READS = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip
_WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE}
LAID = {"patterns", "pattern_embeddings", "pattern_links", *WRITTEN}


def permit(action: int, first: str | None, _: str | None, __: str | None, ___: str | None) -> int:
    """What a statement of the document may do (an authorizer of SQLite): read, and write into two views.

    Its CREATE TABLE IF NOT EXISTS is let through where the view of that name makes it do nothing.
    """
    reads = action in _READS
    writes = action in _WRITES and first in WRITTEN
    lays = (action == sqlite3.SQLITE_CREATE_TABLE and first in LAID) or (
        action == sqlite3.SQLITE_INSERT and first == "sqlite_master"
    )
    return sqlite3.SQLITE_OK if reads or writes or lays else sqlite3.SQLITE_DENY


def _iso(column: str) -> str:
    return TIME.format(column)


VIEWS = f"""
CREATE VIEW IF NOT EXISTS patterns AS
    SELECT i.id AS id, 'reasoning_memory' AS type,
        json_object(
            'title',
                coalesce(json_extract(i.words, '$.title'), json_extract(i.words, '$.claim'),
                    substr(json_extract(i.words, '$.text'), 1, 80)),
            'description',
                coalesce(json_extract(i.words, '$.description'), json_extract(i.words, '$.scope'), ''),
            'content', coalesce(json_extract(i.words, '$.content'),
                json_extract(i.words, '$.mechanism'), json_extract(i.words, '$.text')),
            'item', json(i.words), 'details', json(i.details),
            'source', json_object(
                'task_id', i.task_id,
                'agent_id', (SELECT e.agent_id FROM episodes AS e WHERE e.id = i.trajectory_id),
                'outcome', CASE i.outcome WHEN 'success' THEN 'Success' ELSE 'Failure' END,
                'evidence',
                CASE i.trajectory_id WHEN '' THEN json_array() ELSE json_array(i.trajectory_id) END),
            'tags', json(json_extract(i.origin, '$.tags')), 'domain', i.domain,
            'created_at', {_iso("i.created")},
            'confidence', i.confidence, 'n_uses', i.cited) AS pattern_data,
        i.confidence AS confidence, i.cited AS usage_count, {_iso("i.created")} AS created_at,
        {_iso("i.last_cited")} AS last_used, i.project AS tenant_id, i.standing AS standing
    FROM items AS i;
CREATE VIEW IF NOT EXISTS pattern_embeddings AS
    SELECT v.item_id AS id, s.space AS model, s.dimensions AS dims, l.vector AS vector,
        {_iso("l.moment")} AS created_at, v.key AS key
    FROM vectors AS v JOIN items AS i ON i.id = v.item_id AND i.words_version = v.words_version
        JOIN log AS l ON l.sequence = v.sequence, space AS s
    WHERE v.key = (
        SELECT w.key FROM vectors AS w WHERE w.item_id = v.item_id AND w.words_version = v.words_version
        ORDER BY w.key = 'item' DESC, w.key LIMIT 1);
CREATE VIEW IF NOT EXISTS pattern_links AS
    SELECT source AS src_id, target AS dst_id, relation, weight, {_iso("created")} AS created_at FROM links;
CREATE VIEW IF NOT EXISTS task_trajectories AS
    SELECT task_id, agent_id, query, body AS trajectory_json, {_iso("began")} AS started_at,
        {_iso("ended")} AS ended_at,
        CASE label WHEN 'success' THEN 'Success' WHEN 'failure' THEN 'Failure' END AS judge_label,
        confidence AS judge_conf, nullif(scaling_run, '') AS matts_run_id, id AS episode_id
    FROM episodes AS e
    WHERE sequence = (SELECT max(sequence) FROM episodes AS l WHERE l.task_id = e.task_id);
CREATE TRIGGER IF NOT EXISTS task_trajectories_insert INSTEAD OF INSERT ON task_trajectories
    BEGIN SELECT {WRITER}('episode', json_object(
        'task_id', NEW.task_id, 'agent_id', NEW.agent_id, 'query', NEW.query, 'body', NEW.trajectory_json,
        'began', CAST(strftime('%s', NEW.started_at) AS REAL),
        'ended', CAST(strftime('%s', NEW.ended_at) AS REAL), 'run', NEW.matts_run_id,
        'label', NEW.judge_label, 'confidence', NEW.judge_conf)); END;
CREATE TRIGGER IF NOT EXISTS task_trajectories_update INSTEAD OF UPDATE ON task_trajectories
    BEGIN SELECT {WRITER}('verdict', json_object(
        'episode_id', OLD.episode_id, 'label', NEW.judge_label, 'confidence', NEW.judge_conf)); END;
CREATE VIEW IF NOT EXISTS matts_runs AS
    SELECT id AS run_id, task_id, mode, k, status, summary, {_iso("created")} AS created_at FROM scaling_runs;
CREATE TRIGGER IF NOT EXISTS matts_runs_insert INSTEAD OF INSERT ON matts_runs
    BEGIN SELECT {WRITER}('run', json_object(
        'run_id', NEW.run_id, 'task_id', NEW.task_id, 'mode', NEW.mode, 'k', NEW.k,
        'status', coalesce(NEW.status, 'completed'), 'summary', coalesce(NEW.summary, ''))); END;
CREATE VIEW IF NOT EXISTS events AS
    SELECT id, CASE kind WHEN 'ItemAdded' THEN 'reasoning_memory.created' ELSE 'reasoning_memory.' || kind END
        AS type, body AS payload, who AS actor, why AS reason, {_iso("moment")} AS created_at
    FROM log;
CREATE VIEW IF NOT EXISTS performance_metrics AS
    SELECT sequence AS id, metric, value, item_ids AS ids, {_iso("moment")} AS created_at FROM measures;
CREATE VIEW IF NOT EXISTS consolidation_runs AS
    SELECT id AS run_id, items_seen AS items_processed, duplicates AS duplicates_found,
        contradictions AS contradictions_found, archived AS items_pruned, promoted AS items_promoted,
        took_ms AS duration_ms, {_iso("created")} AS created_at
    FROM consolidations;
CREATE VIEW IF NOT EXISTS v_active_memories AS
    SELECT p.* FROM patterns AS p WHERE p.standing = 'active';
CREATE VIEW IF NOT EXISTS v_memory_contradictions AS
    SELECT l.source AS src_id, l.target AS dst_id, l.weight AS weight,
        json_extract(a.pattern_data, '$.title') AS src_title,
        json_extract(b.pattern_data, '$.title') AS dst_title,
        a.confidence AS src_confidence, b.confidence AS dst_confidence
    FROM links AS l JOIN patterns AS a ON a.id = l.source JOIN patterns AS b ON b.id = l.target
    WHERE l.relation = 'contradicts';
CREATE VIEW IF NOT EXISTS v_agent_performance AS
    SELECT agent_id, count(*) AS tasks, sum(label = 'success') AS successes,
        avg(label = 'success') AS success_rate, avg(confidence) AS mean_judge_conf
    FROM episodes WHERE label IS NOT NULL GROUP BY agent_id;
"""
