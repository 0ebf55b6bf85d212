/**
 * The tables, as steps forward. Owns: every statement that shapes the database. Invariant: a step that was released is
 * never edited; a new one is added behind it. Rows of a session are found by a small number (`session`), since a rowid
 * table with two narrow indexes was the fastest to write and the smallest of the layouts measured.
 */

/** "claw" in ASCII. */
export const APPLICATION_ID = 0x636c6177

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
  `
]
