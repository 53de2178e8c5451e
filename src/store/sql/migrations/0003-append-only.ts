/** What is written stays: changes go through these functions only, also for the owner of the tables. */

/** Of which nothing is ever changed, and rows go through `drop_payload` only. */
const APPEND_ONLY = [
  'runs', 'steps', 'step_readings', 'blobs', 'step_blobs', 'context_manifests', 'tapes', 'run_keys', 'step_embeddings', 'annotations', 'flags', 'vault', 'vault_log', 'archives', 'tombstones', 'anchors',
];

export const APPEND_ONLY_RULES: string = `
-- A setting of the transaction, made by the functions below, lets a change pass. Somebody who may do anything can make it
-- as well: what was altered so is found by check.
CREATE FUNCTION replay_harness.append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'TRUNCATE' AND current_setting('replay_harness.change', true) = TG_OP THEN RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END IF;
  RAISE EXCEPTION 'replay_harness.% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege',
    HINT = 'Payload goes by replay-harness prune, which leaves a tombstone.';
END $$;
${APPEND_ONLY.map((table) => `
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON replay_harness.${table} FOR EACH ROW EXECUTE FUNCTION replay_harness.append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON replay_harness.${table} FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.append_only();`).join('')}

-- Blobs that nothing refers to go with a run. No row may begin to refer to one meanwhile.
CREATE FUNCTION replay_harness.hold_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('replay_harness.blobs'));
  RETURN NULL;
END $$;
CREATE TRIGGER hold_blobs BEFORE INSERT ON replay_harness.blobs FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.hold_blobs();
CREATE TRIGGER hold_blobs BEFORE INSERT ON replay_harness.step_blobs FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.hold_blobs();
CREATE TRIGGER hold_blobs BEFORE INSERT ON replay_harness.context_manifests FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.hold_blobs();

-- What the recorder learns while a run goes on and when it ends. Keys of "patch" are columns of runs; others stay.
-- A sealed run is frozen: false, and nothing happens.
CREATE FUNCTION replay_harness.advance_run(run uuid, patch jsonb) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
  WHERE r.id = run AND r.status <> 'complete';
  advanced := FOUND;
  PERFORM set_config('replay_harness.change', '', true);
  RETURN advanced;
END $$;

-- From when on upkeep may take the run's payload; null: never.
CREATE FUNCTION replay_harness.expire_at(run uuid, moment timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('replay_harness.change', 'UPDATE', true);
  UPDATE replay_harness.runs SET expires_at = moment WHERE id = run;
  PERFORM set_config('replay_harness.change', '', true);
END $$;

-- Deletes parts of a run's payload: readings, blobs, tape, keys, embeddings, vault. Its row and its steps stay, a tombstone is written.
CREATE FUNCTION replay_harness.drop_payload(run uuid, parts text[], reason text) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  unknown text;
  gone bigint;
  counts jsonb := '{}';
  hashes bytea[];
BEGIN
  SELECT part INTO unknown FROM unnest(parts) part WHERE part NOT IN ('readings', 'blobs', 'tape', 'keys', 'embeddings', 'vault');
  IF unknown IS NOT NULL OR cardinality(parts) = 0 THEN RAISE EXCEPTION 'drop_payload: no part of a run is called "%"', coalesce(unknown, ''); END IF;
  IF coalesce(btrim(reason), '') = '' THEN RAISE EXCEPTION 'drop_payload: a reason is needed'; END IF;
  PERFORM 1 FROM replay_harness.runs WHERE id = run FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'drop_payload: no run %', run; END IF;
  PERFORM set_config('replay_harness.change', 'DELETE', true);
  IF 'readings' = ANY (parts) THEN
    DELETE FROM replay_harness.step_readings WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('step_readings', gone);
  END IF;
  IF 'blobs' = ANY (parts) THEN
    PERFORM pg_advisory_xact_lock(hashtext('replay_harness.blobs'));
    SELECT array_agg(DISTINCT hash) INTO hashes FROM (
      SELECT hash FROM replay_harness.step_blobs WHERE run_id = run
      UNION ALL SELECT unnest(added) FROM replay_harness.context_manifests WHERE run_id = run) referred (hash);
    DELETE FROM replay_harness.step_blobs WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('step_blobs', gone);
    DELETE FROM replay_harness.context_manifests WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('context_manifests', gone);
    DELETE FROM replay_harness.blobs b WHERE b.hash = ANY (hashes)
      AND NOT EXISTS (SELECT 1 FROM replay_harness.step_blobs s WHERE s.hash = b.hash)
      AND NOT EXISTS (SELECT 1 FROM replay_harness.context_manifests m WHERE m.added @> ARRAY[b.hash]);
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('blobs', gone);
  END IF;
  IF 'tape' = ANY (parts) THEN
    DELETE FROM replay_harness.tapes WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('tapes', gone);
  END IF;
  IF 'keys' = ANY (parts) THEN
    DELETE FROM replay_harness.run_keys WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('run_keys', gone);
  END IF;
  IF 'embeddings' = ANY (parts) THEN
    DELETE FROM replay_harness.step_embeddings WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('step_embeddings', gone);
  END IF;
  IF 'vault' = ANY (parts) THEN
    DELETE FROM replay_harness.vault WHERE run_id = run;
    GET DIAGNOSTICS gone = ROW_COUNT; counts := counts || jsonb_build_object('vault', gone);
  END IF;
  INSERT INTO replay_harness.tombstones (run_id, parts, reason, counts) VALUES (run, parts, reason, counts);
  PERFORM set_config('replay_harness.change', 'UPDATE', true);
  UPDATE replay_harness.runs SET payload_gone_at = now() WHERE id = run;
  PERFORM set_config('replay_harness.change', '', true);
  RETURN counts;
END $$;

-- After the rows of an archived run were written again.
CREATE FUNCTION replay_harness.restored(run uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('replay_harness.change', 'UPDATE', true);
  UPDATE replay_harness.runs SET payload_gone_at = NULL WHERE id = run;
  PERFORM set_config('replay_harness.change', '', true);
END $$;

-- Drops partitions that hold nothing any more. Returns their names.
CREATE FUNCTION replay_harness.drop_empty_partitions(before timestamptz) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  partition text;
  is_empty boolean;
  gone text[] := '{}';
BEGIN
  FOR partition IN
    SELECT format('%I.%I', 'replay_harness', child.relname) FROM pg_inherits i
    JOIN pg_class child ON child.oid = i.inhrelid JOIN pg_class parent ON parent.oid = i.inhparent
    WHERE parent.relnamespace = 'replay_harness'::regnamespace AND parent.relkind = 'p' AND child.relname ~ '_[0-9]{6}$'
      AND to_date(right(child.relname, 6), 'YYYYMM') + interval '1 month' <= before
  LOOP
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %s)', partition) INTO is_empty;
    IF is_empty THEN
      EXECUTE format('DROP TABLE %s', partition);
      gone := gone || partition;
    END IF;
  END LOOP;
  RETURN gone;
END $$;

-- Two steps in two transactions, so that nobody reads and then rolls the log back. stand_ins null: all of the run.
CREATE FUNCTION replay_harness.vault_ask(run uuid, stand_ins text[], purpose text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  asked bigint := nextval('replay_harness.vault_tickets');
BEGIN
  IF coalesce(btrim(purpose), '') = '' THEN RAISE EXCEPTION 'vault_ask: a purpose is needed'; END IF;
  INSERT INTO replay_harness.vault_log (run_id, stand_in, purpose, ticket)
    SELECT run, v.stand_in, vault_ask.purpose, asked FROM replay_harness.vault v WHERE v.run_id = run AND (stand_ins IS NULL OR v.stand_in = ANY (stand_ins));
  RETURN asked;
END $$;

CREATE FUNCTION replay_harness.vault_open(ticket bigint) RETURNS TABLE (stand_in text, kind text, sealed bytea) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM replay_harness.vault_log l WHERE l.ticket = vault_open.ticket AND (l.asked_in = pg_current_xact_id() OR l.reader <> session_user)) THEN
    RAISE EXCEPTION 'vault_open: the question has to be committed, and asked by the same login' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY SELECT v.stand_in, v.kind, v.sealed FROM replay_harness.vault_log l JOIN replay_harness.vault v ON v.run_id = l.run_id AND v.stand_in = l.stand_in WHERE l.ticket = vault_open.ticket;
END $$;

-- Partitions have a rule of their own against TRUNCATE; those against UPDATE and DELETE they inherit.
CREATE OR REPLACE FUNCTION replay_harness.guard_partition(partition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON replay_harness.%I FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.append_only()', partition);
END $$;
SELECT replay_harness.guard_partition(name) FROM unnest(ARRAY['step_readings_other', 'step_blobs_other', 'context_manifests_other', 'tapes_other', 'step_embeddings_other']) name;
`;
