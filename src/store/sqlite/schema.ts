/**
 * The tables, as steps forward. Owns: every statement that shapes the database. Invariant: a step that was released is
 * never edited; a new one is added behind it. Rows of a session are found by a small number (`session`), since a rowid
 * table with two narrow indexes was the fastest to write and the smallest of the layouts measured.
 */

/** "claw" in ASCII. */
export const APPLICATION_ID = 0x636c6177

/** The step that makes the audit. */
export const AUDIT_STEP = 3

export const migrations: ReadonlyArray<string> = [
  `
  CREATE TABLE sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    title TEXT NOT NULL,
    model TEXT,
    mode TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_newest ON sessions (updated_at DESC, session_id DESC);
  CREATE INDEX sessions_of_workspace ON sessions (workspace, updated_at DESC, session_id DESC);

  -- Who may write a session. Stays when the session is removed (owner is then empty), so that epochs never repeat.
  CREATE TABLE journal_heads (
    session INTEGER NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    owner TEXT NOT NULL,
    claimed_at TEXT NOT NULL
  ) STRICT;

  -- The last pos and seq are the records' own: there is no second place that could disagree.
  CREATE TABLE journal_records (
    session INTEGER NOT NULL,
    pos INTEGER NOT NULL,
    seq INTEGER,
    event_id TEXT NOT NULL,
    ts TEXT NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX journal_by_pos ON journal_records (session, pos);
  CREATE INDEX journal_by_seq ON journal_records (session, seq, pos) WHERE seq IS NOT NULL;

  CREATE TABLE counters (
    counter TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT;
  `,
  // Sessions and numbers belong to an owner; what was there is this machine's own. A journal's session_id is a session
  // key from here on, and the local owner's keys are the ids.
  `
  CREATE TABLE owned_sessions (
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    user TEXT NOT NULL,
    session_id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    title TEXT NOT NULL,
    model TEXT,
    mode TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (tenant, project, user, session_id)
  ) STRICT;
  INSERT INTO owned_sessions
    SELECT 'local', 'default', 'local', session_id, workspace, title, model, mode, created_at, updated_at FROM sessions;
  DROP TABLE sessions;
  ALTER TABLE owned_sessions RENAME TO sessions;
  CREATE INDEX sessions_newest ON sessions (tenant, project, user, updated_at DESC, session_id DESC);
  CREATE INDEX sessions_of_workspace
    ON sessions (tenant, project, user, workspace, updated_at DESC, session_id DESC);

  CREATE TABLE owned_counters (
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    user TEXT NOT NULL,
    counter TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (tenant, project, user, counter)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO owned_counters SELECT 'local', 'default', 'local', counter, value FROM counters;
  DROP TABLE counters;
  ALTER TABLE owned_counters RENAME TO counters;
  `,
  `
  -- Of a token only its SHA-256 is kept. A revoked one stays, so that the list can tell when.
  CREATE TABLE api_tokens (
    token_id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    tenant TEXT NOT NULL,
    project TEXT NOT NULL,
    user TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    last_used_at TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  // Projections of the journal, written in its appends. A grant's checksum covers all but its uses, so that a row that
  // was damaged grants nothing. The audit is a chain (approval/Audit): nothing here may change or delete an entry.
  `
  CREATE TABLE grants (
    grant_id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    payload TEXT NOT NULL,
    revoked_at TEXT,
    revoked_by TEXT,
    checksum INTEGER NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    last_used_at TEXT
  ) STRICT;
  CREATE INDEX grants_of_session ON grants (owner, session_id, grant_id);

  CREATE TABLE audit (
    n INTEGER NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    seq INTEGER,
    tool_name TEXT,
    decision TEXT,
    at TEXT NOT NULL,
    line TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_of_session ON audit (owner, session_id, n);
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit only grows'); END;
  CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'the audit only grows'); END;

  -- Where the chain stands: found again here, its last entry cannot be cut off unseen.
  CREATE TABLE audit_head (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    first TEXT NOT NULL,
    n INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO audit_head SELECT 1, seed, 0, seed FROM (SELECT lower(hex(randomblob(32))) AS seed);
  `,
  // Which directory a session's path led to when it was made, so that it can be told that another stands there now.
  `
  ALTER TABLE sessions ADD COLUMN workspace_id TEXT;
  `,
  // What each session spent in all, and each owner on a day: read without the history, which they are filled from here.
  `
  CREATE TABLE session_spent (
    session INTEGER NOT NULL PRIMARY KEY,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL
  ) STRICT;
  CREATE TABLE spent_days (
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL,
    PRIMARY KEY (owner, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TEMP TABLE old_totals AS
    SELECT r.session, r.pos, substr(r.ts, 1, 10) AS day,
      rtrim(h.session_id, replace(h.session_id, '/', '')) AS owner,
      CAST(coalesce(payload ->> '$.session_usage.input_tokens', 0) AS INTEGER) AS input,
      CAST(coalesce(payload ->> '$.session_usage.output_tokens', 0) AS INTEGER) AS output,
      CAST(coalesce(payload ->> '$.session_usage.cached_tokens', 0) AS INTEGER) AS cached,
      CAST(coalesce(payload ->> '$.session_usage.reasoning_tokens', 0) AS INTEGER) AS reasoning,
      CAST(payload ->> '$.session_usage.cost_usd' AS REAL) AS cost
    FROM journal_records r JOIN journal_heads h ON h.session = r.session
    WHERE h.owner <> '' AND r.type = 'usage' AND json_valid(payload);
  INSERT INTO session_spent
    SELECT session, input, output, cached, reasoning, cost FROM old_totals
    WHERE (session, pos) IN (SELECT session, max(pos) FROM old_totals GROUP BY session);
  INSERT INTO spent_days
    SELECT owner, day, sum(input), sum(output), sum(cached), sum(reasoning), sum(cost) FROM (
      SELECT owner, day,
        max(0, input - lag(input, 1, 0) OVER each) AS input,
        max(0, output - lag(output, 1, 0) OVER each) AS output,
        max(0, cached - lag(cached, 1, 0) OVER each) AS cached,
        max(0, reasoning - lag(reasoning, 1, 0) OVER each) AS reasoning,
        max(0, cost - coalesce(lag(cost) OVER each, 0)) AS cost
      FROM old_totals WINDOW each AS (PARTITION BY session ORDER BY pos)
    ) GROUP BY owner, day;
  DROP TABLE old_totals;
  `,
  // Sessions that their person put aside.
  `
  ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
  `,
  // Browsers that signed in, and tokens that starts of the server printed: of each secret its SHA-256.
  `
  CREATE TABLE logins (
    digest TEXT NOT NULL PRIMARY KEY,
    until INTEGER NOT NULL,
    payload TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX logins_by_end ON logins (until);
  CREATE TABLE start_tokens (
    digest TEXT NOT NULL PRIMARY KEY,
    made_at INTEGER NOT NULL,
    spent INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // What was spent on a day, by model. Of what was spent before nobody wrote down which.
  `
  CREATE TABLE spent_models (
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_usd REAL,
    PRIMARY KEY (owner, day, model)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO spent_models
    SELECT owner, day, '', input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd FROM spent_days;
  `
]
