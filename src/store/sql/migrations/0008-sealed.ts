/** What is sealed stays as it is for those, too, who may add; nobody asks what somebody else may read; nothing goes that is just being written. */

/** Of a run, and whole when it is sealed; another embedder's vectors may come later. */
const SEALED_WITH_THE_RUN = ['steps', 'step_readings', 'step_blobs', 'context_manifests', 'tapes', 'live_tapes', 'run_keys', 'vault'];

export const SEALED: string = `
-- A later reading stands before an earlier one, a further step behind the last: to add is to change. A row that is there
-- already, which an ingester that was killed writes again, is none that is added.
CREATE FUNCTION replay_harness.sealed_among(wanted uuid[]) RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT id FROM replay_harness.runs WHERE id = ANY (wanted) AND status <> 'recording' LIMIT 1
$$;
CREATE FUNCTION replay_harness.add_to_open_runs() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  sealed uuid;
BEGIN
  -- Who brings archived runs back, and the owner of the tables.
  IF pg_has_role(current_user, 'replay_retention', 'USAGE') OR pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN RETURN NULL; END IF;
  sealed := replay_harness.sealed_among(ARRAY(SELECT DISTINCT run_id FROM added));
  IF sealed IS NOT NULL THEN
    RAISE EXCEPTION 'replay_harness.%: run % is sealed, nothing is added to it', TG_TABLE_NAME, sealed USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION replay_harness.sealed_among(uuid[]), replay_harness.add_to_open_runs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replay_harness.sealed_among(uuid[]) TO replay_writer;
${SEALED_WITH_THE_RUN.map((table) => `CREATE TRIGGER sealed AFTER INSERT ON replay_harness.${table} REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.add_to_open_runs();`).join('\n')}

-- A run whose program was killed is sealed as well.
CREATE OR REPLACE FUNCTION replay_harness.advance_run(run uuid, patch jsonb) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  unknown text;
  advanced boolean;
BEGIN
  SELECT key INTO unknown FROM jsonb_object_keys(patch) key WHERE key NOT IN
    ('command', 'cwd', 'status', 'exit_code', 'signal', 'duration_ms', 'uncaptured', 'replayable', 'lost', 'steps', 'llm_calls', 'tool_calls', 'manifest', 'tape_head', 'chain_head');
  IF unknown IS NOT NULL THEN RAISE EXCEPTION 'advance_run: "%" of a run does not change', unknown USING ERRCODE = 'insufficient_privilege'; END IF;
  PERFORM set_config('replay_harness.change', 'UPDATE', true);
  UPDATE replay_harness.runs r SET
    command = CASE WHEN patch ? 'command' THEN ARRAY(SELECT jsonb_array_elements_text(patch -> 'command')) ELSE r.command END,
    cwd = CASE WHEN patch ? 'cwd' THEN patch ->> 'cwd' ELSE r.cwd END,
    status = coalesce(patch ->> 'status', r.status),
    exit_code = CASE WHEN patch ? 'exit_code' THEN (patch ->> 'exit_code')::int ELSE r.exit_code END,
    signal = CASE WHEN patch ? 'signal' THEN patch ->> 'signal' ELSE r.signal END,
    duration_ms = CASE WHEN patch ? 'duration_ms' THEN (patch ->> 'duration_ms')::double precision ELSE r.duration_ms END,
    uncaptured = CASE WHEN patch ? 'uncaptured' THEN ARRAY(SELECT jsonb_array_elements_text(patch -> 'uncaptured')) ELSE r.uncaptured END,
    replayable = coalesce((patch ->> 'replayable')::boolean, r.replayable),
    lost = coalesce((patch ->> 'lost')::bigint, r.lost),
    steps = coalesce((patch ->> 'steps')::bigint, r.steps),
    llm_calls = coalesce((patch ->> 'llm_calls')::bigint, r.llm_calls),
    tool_calls = coalesce((patch ->> 'tool_calls')::bigint, r.tool_calls),
    manifest = coalesce((patch -> 'manifest')::json, r.manifest),
    tape_head = coalesce(patch ->> 'tape_head', r.tape_head),
    chain_head = coalesce(decode(patch ->> 'chain_head', 'hex'), r.chain_head)
  WHERE r.id = run AND r.status = 'recording';
  advanced := FOUND;
  PERFORM set_config('replay_harness.change', '', true);
  RETURN advanced;
END $$;

-- Each login asks for itself, and for the roles that it may take on: whose workflows others read, and whether the store has a
-- content that one may only guess, is nothing to be asked.
CREATE OR REPLACE FUNCTION replay_harness.readable_workflows(member text) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(p.workflow), '{}') FROM replay_harness.workflow_permissions p JOIN pg_roles r ON r.rolname = p.member
  WHERE pg_has_role(session_user, readable_workflows.member, 'MEMBER') AND pg_has_role(readable_workflows.member, r.oid, 'USAGE')
$$;
CREATE FUNCTION replay_harness.may_read_below(parent uuid, member text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT replay_harness.workflow_of(parent) = ANY (replay_harness.readable_workflows(member))
$$;
REVOKE ALL ON FUNCTION replay_harness.may_read_below(uuid, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION replay_harness.workflow_of(uuid) FROM replay_reader, replay_annotator;
GRANT EXECUTE ON FUNCTION replay_harness.may_read_below(uuid, text) TO replay_reader, replay_annotator;
DROP POLICY own_workflow ON replay_harness.runs;
CREATE POLICY own_workflow ON replay_harness.runs FOR SELECT TO replay_reader, replay_annotator
  USING ('*' = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[]) OR name = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[])
    OR (name IS NULL AND parent_run_id IS NOT NULL AND replay_harness.may_read_below(parent_run_id, current_user)));

-- Who wrote it, and when, is not for him to say.
DROP POLICY annotate ON replay_harness.annotations;
CREATE POLICY annotate ON replay_harness.annotations FOR INSERT TO replay_annotator
  WITH CHECK (written_by = session_user AND created_at = now() AND EXISTS (SELECT 1 FROM replay_harness.runs r WHERE r.id = run_id));
DROP POLICY write ON replay_harness.anchors;
CREATE POLICY write ON replay_harness.anchors FOR INSERT TO replay_writer WITH CHECK (taken_by = session_user AND taken_at = now());

-- A transaction with one view of the data from its beginning to its end does not see what others have committed while it
-- waited for them: it would take away what it never saw.
CREATE FUNCTION replay_harness.require_sight() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'payload is not taken away in a transaction of isolation level %', current_setting('transaction_isolation') USING ERRCODE = 'invalid_transaction_state', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  END IF;
END $$;
REVOKE ALL ON FUNCTION replay_harness.require_sight() FROM PUBLIC;
CREATE FUNCTION replay_harness.sight() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM replay_harness.require_sight();
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION replay_harness.sight() FROM PUBLIC;
CREATE TRIGGER sight BEFORE INSERT ON replay_harness.tombstones FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.sight();

-- Whoever is writing into a partition is waited for, and what he wrote is seen.
CREATE OR REPLACE FUNCTION replay_harness.drop_empty_partitions(before timestamptz) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  partition text;
  parent text;
  is_empty boolean;
  gone text[] := '{}';
BEGIN
  PERFORM replay_harness.require_sight();
  FOR partition, parent IN
    SELECT format('%I.%I', 'replay_harness', child.relname), format('%I.%I', 'replay_harness', above.relname) FROM pg_inherits i
    JOIN pg_class child ON child.oid = i.inhrelid JOIN pg_class above ON above.oid = i.inhparent
    WHERE above.relnamespace = 'replay_harness'::regnamespace AND above.relkind = 'p' AND child.relname ~ '_[0-9]{6}$'
      AND to_date(right(child.relname, 6), 'YYYYMM') + interval '1 month' <= before
  LOOP
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %s)', partition) INTO is_empty;
    CONTINUE WHEN NOT is_empty;
    -- In the order in which those take them who insert.
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', parent);
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %s)', partition) INTO is_empty;
    CONTINUE WHEN NOT is_empty;
    EXECUTE format('DROP TABLE %s', partition);
    gone := gone || partition;
  END LOOP;
  RETURN gone;
END $$;

ALTER TABLE replay_harness.tombstones ADD CONSTRAINT named_parts CHECK (cardinality(parts) > 0 AND array_position(parts, NULL) IS NULL) NOT VALID;

-- Where pgvector lies, which need not be "public": of a schema in which others may create, nothing is to be called here.
DO $$
DECLARE
  lies name := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  called text;
BEGIN
  FOREACH called IN ARRAY ARRAY['register_embedder(text)', 'index_vectors(regclass)', 'repeat_vectors(uuid, int[], bigint[], bigint[], text[])'] LOOP
    EXECUTE format('ALTER FUNCTION replay_harness.%s SET search_path = pg_catalog, %I, pg_temp', called, lies);
  END LOOP;
END $$;
`;
