/** What upkeep has to know of runs that came from another host, and of those that went to an archive and came back; runs that go on; whose child runs are. */
export const UPKEEP = `
-- Keys of the header of a run's segments, in their order; and those that lie beside its journal, whose header is sealed to others.
ALTER TABLE replay_harness.run_keys ADD COLUMN beside boolean NOT NULL DEFAULT false, ADD COLUMN position int NOT NULL DEFAULT 0;
ALTER TABLE replay_harness.run_keys DROP CONSTRAINT run_keys_pkey, ADD PRIMARY KEY (run_id, beside, position, recipient);

-- A run may be archived again, as another object.
ALTER TABLE replay_harness.archives DROP CONSTRAINT archives_pkey, ADD PRIMARY KEY (run_id, location, object_hash);

ALTER TABLE replay_harness.runs ADD COLUMN restored_at timestamptz;  -- its time in the store began anew
CREATE OR REPLACE FUNCTION replay_harness.restored(run uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('replay_harness.change', 'UPDATE', true);
  UPDATE replay_harness.runs SET payload_gone_at = NULL, restored_at = now() WHERE id = run;
  PERFORM set_config('replay_harness.change', '', true);
END $$;

-- What a run that goes on has recorded so far, sealed, byte for byte as it lies on its host: a segment is its pieces in the
-- order of from_byte. Its tape takes the place of them when the run ends.
CREATE TABLE replay_harness.live_tapes (
  run_id uuid NOT NULL REFERENCES replay_harness.runs (id),
  lane int NOT NULL,
  segment int NOT NULL,
  from_byte bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (run_id, lane, segment, from_byte)
);
ALTER TABLE replay_harness.live_tapes ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON replay_harness.live_tapes FOR EACH ROW EXECUTE FUNCTION replay_harness.append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON replay_harness.live_tapes FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.append_only();
CREATE FUNCTION replay_harness.end_live() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  change text := current_setting('replay_harness.change', true);
BEGIN
  PERFORM set_config('replay_harness.change', 'DELETE', true);
  DELETE FROM replay_harness.live_tapes WHERE run_id = (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
  PERFORM set_config('replay_harness.change', coalesce(change, ''), true);
  RETURN NULL;
END $$;
CREATE TRIGGER end_live AFTER UPDATE ON replay_harness.runs FOR EACH ROW WHEN (OLD.status = 'recording' AND NEW.status <> 'recording') EXECUTE FUNCTION replay_harness.end_live('id');
CREATE TRIGGER end_live AFTER INSERT ON replay_harness.tombstones FOR EACH ROW WHEN ('tape' = ANY (NEW.parts)) EXECUTE FUNCTION replay_harness.end_live('run_id');

-- A child run without a name of its own belongs to the workflow of the run that started it.
CREATE FUNCTION replay_harness.workflow_of(run uuid) RETURNS text LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE above AS (
    SELECT parent_run_id, name, 0 AS depth FROM replay_harness.runs WHERE id = run
    UNION ALL SELECT r.parent_run_id, r.name, depth + 1 FROM above JOIN replay_harness.runs r ON r.id = above.parent_run_id WHERE above.name IS NULL AND depth < 100)
  SELECT name FROM above WHERE name IS NOT NULL
$$;
CREATE OR REPLACE FUNCTION replay_harness.may_read_blob(wanted bytea, member text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT 1 FROM (
      SELECT run_id FROM replay_harness.step_blobs WHERE hash = wanted
      UNION ALL SELECT run_id FROM replay_harness.context_manifests WHERE added @> ARRAY[wanted]) referring
    JOIN replay_harness.runs r ON r.id = referring.run_id
    WHERE '*' = ANY (replay_harness.readable_workflows(member)) OR coalesce(r.name, replay_harness.workflow_of(r.parent_run_id)) = ANY (replay_harness.readable_workflows(member)))
$$;
REVOKE ALL ON replay_harness.live_tapes FROM PUBLIC;
REVOKE ALL ON FUNCTION replay_harness.workflow_of(uuid), replay_harness.end_live() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replay_harness.workflow_of(uuid) TO replay_reader, replay_annotator;
GRANT INSERT ON replay_harness.live_tapes TO replay_writer;
GRANT SELECT ON replay_harness.live_tapes TO replay_reader, replay_annotator, replay_retention;
ALTER TABLE replay_harness.live_tapes ENABLE ROW LEVEL SECURITY;
CREATE POLICY write ON replay_harness.live_tapes FOR INSERT TO replay_writer WITH CHECK (true);
CREATE POLICY upkeep ON replay_harness.live_tapes FOR SELECT TO replay_retention USING (true);
CREATE POLICY own_workflow ON replay_harness.live_tapes FOR SELECT TO replay_reader, replay_annotator USING (EXISTS (SELECT 1 FROM replay_harness.runs r WHERE r.id = run_id));
DROP POLICY own_workflow ON replay_harness.runs;
CREATE POLICY own_workflow ON replay_harness.runs FOR SELECT TO replay_reader, replay_annotator
  USING ('*' = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[]) OR name = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[])
    OR (name IS NULL AND parent_run_id IS NOT NULL AND replay_harness.workflow_of(parent_run_id) = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[])));
`;
