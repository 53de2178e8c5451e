/**
 * The tables. SQL that PostgreSQL 15 and PGlite share.
 *
 * Ids of runs are UUIDv7, so a range of ids is a range of time: payload tables are partitioned by `run_id`, a month each.
 */
export const TABLES = `
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE replay_harness.runs (
  id uuid PRIMARY KEY,
  parent_run_id uuid,
  forked_from uuid,
  replay_of uuid,
  name text,                         -- the workflow
  agent text NOT NULL,
  command text[],                    -- masked; null: not known yet
  cwd text,
  status text NOT NULL CHECK (status IN ('recording', 'complete', 'truncated')),
  exit_code int,
  signal text,
  started_at timestamptz NOT NULL,
  duration_ms double precision,
  node text NOT NULL,
  platform text NOT NULL DEFAULT '',
  tags jsonb NOT NULL DEFAULT '{}',
  uncaptured text[] NOT NULL DEFAULT '{}',
  replayable boolean NOT NULL DEFAULT false,
  lost bigint NOT NULL DEFAULT 0,    -- events that could not be written
  steps bigint,                      -- counts of the sealed run, of all lanes; null: not known yet
  llm_calls bigint,
  tool_calls bigint,
  manifest json NOT NULL,            -- RunManifest, as the recorder wrote it: in its order, which jsonb would not keep
  tape_head text,                    -- last rolling HMAC of lane 0
  chain_head bytea,                  -- SHA-256 over the last steps.chain of every lane, in their order
  expires_at timestamptz,
  payload_gone_at timestamptz,       -- tombstones tell what went
  recorded_at timestamptz NOT NULL DEFAULT now()
);

-- One row per step of the sealed numbering: never changed, kept when the payload goes.
CREATE TABLE replay_harness.steps (
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  lane int NOT NULL,
  step bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('llm', 'tool', 'time', 'random', 'message', 'state')),
  boundary text NOT NULL,
  name text NOT NULL,                -- masked
  agent_id text NOT NULL,
  lamport bigint NOT NULL,
  causal_parent bigint NOT NULL,
  after bigint,
  key bytea NOT NULL,                -- SHA-256 of what was asked
  input_hash bytea,                  -- SHA-256 of the exact bytes
  output_hash bytea,
  checksum bytea NOT NULL,           -- of the step's events and the step before: as the journal holds them
  reading_digest bytea NOT NULL,     -- of the reading that was made when the run was sealed (chain.ts)
  chain bytea NOT NULL,              -- of this row and the one before it in its lane (chain.ts)
  started_at timestamptz NOT NULL,
  latency_ms double precision,
  ended bigint,
  PRIMARY KEY (run_id, lane, step)
);

-- What an interpreter makes of a step: derived, masked. A better one adds a row.
-- U+0000 and lone surrogates, which jsonb refuses, are escaped as docs/store.md says.
CREATE TABLE replay_harness.step_readings (
  run_id uuid NOT NULL,
  lane int NOT NULL,
  step bigint NOT NULL,
  interpreter int NOT NULL,
  summary text NOT NULL,
  input jsonb,
  output jsonb,
  error jsonb,
  envelope jsonb,
  -- Paths below input and output that lie in blobs: 'input.messages' in context_manifests, 'output.body' in step_blobs.
  -- The row holds null there.
  moved text[] NOT NULL DEFAULT '{}',
  search tsvector,
  PRIMARY KEY (run_id, lane, step, interpreter)
) PARTITION BY RANGE (run_id);

-- Masked, content-addressed. hash: SHA-256 of the content, decoded. codec: 'identity' | 'json' (UTF-8 that jsonb takes,
-- for the views to read) | 'br' | 'zstd' | 'gzip'. size: bytes of the content, decoded.
CREATE TABLE replay_harness.blobs (
  hash bytea PRIMARY KEY,
  codec text NOT NULL,
  size bigint NOT NULL,
  bytes bytea NOT NULL
);

-- role: what it is of the step. A path of moved ('input.body'), or 'raw.input', 'raw.output', 'file' …; position: pieces of one in order.
CREATE TABLE replay_harness.step_blobs (
  run_id uuid NOT NULL,
  lane int NOT NULL,
  step bigint NOT NULL,
  role text NOT NULL,
  position int NOT NULL DEFAULT 0,
  hash bytea NOT NULL,
  PRIMARY KEY (run_id, lane, step, role, position)
) PARTITION BY RANGE (run_id);

-- A list that grows from step to step, such as the messages of a conversation; each element is a blob of codec 'json'.
-- The list of a step: "added" of all rows with its (run_id, lane, role, root) up to this step, in order. A list that does
-- not begin with the whole list before it begins a root of its own: root = its step. kept: elements before this row.
CREATE TABLE replay_harness.context_manifests (
  run_id uuid NOT NULL,
  lane int NOT NULL,
  role text NOT NULL,                -- a path of moved: 'input.messages'
  root bigint NOT NULL,
  step bigint NOT NULL,
  kept int NOT NULL,
  added bytea[] NOT NULL,
  PRIMARY KEY (run_id, lane, role, step)
) PARTITION BY RANGE (run_id);

-- The sealed journal, byte for byte, in pieces: the file of a segment is its pieces in the order of from_byte.
CREATE TABLE replay_harness.tapes (
  run_id uuid NOT NULL,
  lane int NOT NULL,
  segment int NOT NULL,
  from_byte bigint NOT NULL,
  bytes bytea NOT NULL,
  size int GENERATED ALWAYS AS (octet_length(bytes)) STORED,
  sealed boolean NOT NULL DEFAULT false,  -- of the last piece (which may be empty) of a segment that the recorder has sealed
  PRIMARY KEY (run_id, lane, segment, from_byte)
) PARTITION BY RANGE (run_id);
ALTER TABLE replay_harness.tapes ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- SealedKey of the journal's header. Without any, nobody reads the tape.
CREATE TABLE replay_harness.run_keys (
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  recipient text NOT NULL,
  ephemeral text NOT NULL,
  box text NOT NULL,
  PRIMARY KEY (run_id, recipient)
);

-- A partition for each embedder (replay_harness.register_embedder), with an index of its own: vectors of two never mix.
CREATE TABLE replay_harness.step_embeddings (
  run_id uuid NOT NULL,
  lane int NOT NULL,
  step bigint NOT NULL,
  embedder text NOT NULL,
  source text NOT NULL CHECK (source IN ('step', 'agent')),
  position int NOT NULL DEFAULT 0,
  embedding vector(768) NOT NULL,
  PRIMARY KEY (run_id, lane, step, embedder, source, position)
) PARTITION BY LIST (embedder);
-- In the row: the planner does not see what it costs to fetch vectors from beside it.
ALTER TABLE replay_harness.step_embeddings ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE replay_harness.annotations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  lane int NOT NULL DEFAULT 0,
  step bigint,
  author text NOT NULL,              -- --by
  note text NOT NULL,
  verdict text,
  written_by text NOT NULL DEFAULT session_user,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE replay_harness.flags (
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  lane int NOT NULL DEFAULT 0,
  step bigint NOT NULL,
  rule text NOT NULL,
  version int NOT NULL DEFAULT 1,    -- of the rule
  severity text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, lane, step, rule, version)
);

-- Stand-in -> the secret, sealed to the recipients. Read through vault_ask and vault_open only, which log.
CREATE TABLE replay_harness.vault (
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  stand_in text NOT NULL,
  kind text NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (run_id, stand_in)
);

CREATE TABLE replay_harness.vault_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  reader text NOT NULL DEFAULT session_user,
  run_id uuid NOT NULL,
  stand_in text NOT NULL,
  purpose text NOT NULL,
  ticket bigint,                     -- what was asked for together
  asked_in xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE SEQUENCE replay_harness.vault_tickets;

-- Where a run's payload went. object_hash: SHA-256 of the archived object.
CREATE TABLE replay_harness.archives (
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  location text NOT NULL,
  object_hash bytea NOT NULL,
  size bigint NOT NULL,
  codec text NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, location)
);

CREATE TABLE replay_harness.tombstones (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  parts text[] NOT NULL,             -- what went: readings, blobs, tape, keys, embeddings, vault
  reason text NOT NULL,
  counts jsonb NOT NULL,             -- rows that went, by table
  deleted_by text NOT NULL DEFAULT session_user,
  deleted_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE replay_harness.anchors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  digest bytea NOT NULL,             -- of the tape
  chain_head bytea,
  taken_by text NOT NULL DEFAULT session_user,
  taken_at timestamptz NOT NULL DEFAULT now()
);

-- Who may read what: member is the name of a role, workflow a runs.name, or '*' for every workflow and for runs without one.
CREATE TABLE replay_harness.workflow_permissions (
  workflow text NOT NULL,
  member text NOT NULL,
  granted_by text NOT NULL DEFAULT session_user,
  granted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workflow, member)
);

CREATE INDEX runs_by_time ON replay_harness.runs (started_at DESC, id DESC);
CREATE INDEX runs_by_name ON replay_harness.runs (name, started_at DESC);
CREATE INDEX runs_by_agent ON replay_harness.runs (agent, started_at DESC);
CREATE INDEX runs_by_parent ON replay_harness.runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_by_origin ON replay_harness.runs (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX runs_by_tags ON replay_harness.runs USING gin (tags jsonb_path_ops);
CREATE INDEX runs_by_expiry ON replay_harness.runs (expires_at) WHERE payload_gone_at IS NULL;
CREATE INDEX steps_by_kind ON replay_harness.steps (kind, name, started_at DESC);
CREATE INDEX readings_by_text ON replay_harness.step_readings USING gin (search);
CREATE INDEX step_blobs_by_hash ON replay_harness.step_blobs (hash);
CREATE INDEX manifests_by_hash ON replay_harness.context_manifests USING gin (added);
CREATE INDEX annotations_by_run ON replay_harness.annotations (run_id, lane, step);
CREATE INDEX flags_by_time ON replay_harness.flags (created_at DESC);
CREATE INDEX vault_log_by_ticket ON replay_harness.vault_log (ticket);
CREATE INDEX tombstones_by_run ON replay_harness.tombstones (run_id);
CREATE INDEX anchors_by_run ON replay_harness.anchors (run_id);
`;
