/** Who may do what. Roles belong to the server, not to one database of it: another store of the server may have made them. */

/** Readers see these; the auditor too, but for what a replay is made of. */
const READABLE = ['runs', 'steps', 'step_readings', 'blobs', 'step_blobs', 'context_manifests', 'step_embeddings', 'annotations', 'flags', 'archives', 'tombstones', 'anchors'];
const REPLAYABLE = ['tapes', 'run_keys'];
const INGESTED = ['runs', 'steps', 'step_readings', 'blobs', 'step_blobs', 'context_manifests', 'tapes', 'run_keys', 'step_embeddings', 'flags', 'vault', 'anchors'];
const RESTORED = ['step_readings', 'blobs', 'step_blobs', 'context_manifests', 'tapes', 'run_keys', 'step_embeddings', 'vault'];
const RESUMED = ['runs', 'steps', 'tapes'];
const OWN_RUN = ['steps', 'step_readings', 'step_blobs', 'context_manifests', 'step_embeddings', 'annotations', 'flags', 'archives', 'tombstones', 'anchors', ...REPLAYABLE];

const named = (tables: readonly string[]): string => tables.map((table) => `replay_harness.${table}`).join(', ');

export const ROLES_AND_RIGHTS: string = `
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['replay_writer', 'replay_reader', 'replay_auditor', 'replay_annotator', 'replay_vault', 'replay_retention'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', wanted); END IF;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the login % may not create the role %', current_user, wanted USING ERRCODE = 'insufficient_privilege',
          HINT = 'Migrate with a login that has CREATEROLE, or have an administrator create the roles replay_writer, replay_reader, replay_auditor, replay_annotator, replay_vault and replay_retention first.';
    END;
  END LOOP;
END $$;

-- Workflows that a role may read: those granted to it or to a role whose rights it has.
CREATE FUNCTION replay_harness.readable_workflows(member text) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(p.workflow), '{}') FROM replay_harness.workflow_permissions p JOIN pg_roles r ON r.rolname = p.member WHERE pg_has_role(readable_workflows.member, r.oid, 'USAGE')
$$;

CREATE FUNCTION replay_harness.may_read_blob(wanted bytea, member text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT 1 FROM (
      SELECT run_id FROM replay_harness.step_blobs WHERE hash = wanted
      UNION ALL SELECT run_id FROM replay_harness.context_manifests WHERE added @> ARRAY[wanted]) referring
    JOIN replay_harness.runs r ON r.id = referring.run_id
    WHERE r.name = ANY (replay_harness.readable_workflows(member)) OR '*' = ANY (replay_harness.readable_workflows(member)))
$$;

REVOKE ALL ON ALL TABLES IN SCHEMA replay_harness FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA replay_harness FROM PUBLIC;
GRANT USAGE ON SCHEMA replay_harness TO replay_writer, replay_reader, replay_auditor, replay_annotator, replay_vault, replay_retention;
GRANT SELECT ON replay_harness.schema_migrations TO replay_writer, replay_reader, replay_auditor, replay_annotator, replay_vault, replay_retention;

GRANT INSERT ON ${named(INGESTED)} TO replay_writer;
GRANT EXECUTE ON FUNCTION replay_harness.advance_run(uuid, jsonb), replay_harness.register_embedder(text), replay_harness.time_of(uuid), replay_harness.first_id(timestamptz) TO replay_writer;
-- Where an interrupted writer goes on, and nothing of what is written.
GRANT SELECT (id, status, steps) ON replay_harness.runs TO replay_writer;
GRANT SELECT (run_id, lane, step, chain) ON replay_harness.steps TO replay_writer;
GRANT SELECT (run_id, lane, segment, from_byte, size, sealed) ON replay_harness.tapes TO replay_writer;
GRANT SELECT ON ${named([...READABLE, ...REPLAYABLE])} TO replay_reader, replay_annotator;
GRANT INSERT ON replay_harness.annotations TO replay_annotator;
GRANT SELECT ON ${named([...READABLE, 'vault_log', 'workflow_permissions'])} TO replay_auditor;
GRANT EXECUTE ON FUNCTION replay_harness.readable_workflows(text), replay_harness.may_read_blob(bytea, text), replay_harness.time_of(uuid), replay_harness.first_id(timestamptz) TO replay_reader, replay_annotator, replay_auditor, replay_retention;
GRANT EXECUTE ON FUNCTION replay_harness.vault_ask(uuid, text[], text), replay_harness.vault_open(bigint) TO replay_vault, replay_retention;
GRANT SELECT ON ${named([...READABLE, ...REPLAYABLE])} TO replay_retention;
GRANT INSERT ON ${named([...RESTORED, 'archives'])} TO replay_retention;
GRANT EXECUTE ON FUNCTION replay_harness.drop_payload(uuid, text[], text), replay_harness.restored(uuid), replay_harness.expire_at(uuid, timestamptz), replay_harness.drop_empty_partitions(timestamptz), replay_harness.register_embedder(text) TO replay_retention;
${[...new Set([...READABLE, ...INGESTED, ...RESTORED, 'vault_log', 'workflow_permissions'])].map((table) => `ALTER TABLE replay_harness.${table} ENABLE ROW LEVEL SECURITY;`).join('\n')}
${INGESTED.map((table) => `CREATE POLICY write ON replay_harness.${table} FOR INSERT TO replay_writer WITH CHECK (true);`).join('\n')}
-- A login that reads as well sees no more by writing.
${RESUMED.map((table) => `CREATE POLICY resume ON replay_harness.${table} FOR SELECT TO replay_writer USING (NOT pg_has_role(current_user, 'replay_reader', 'USAGE') AND NOT pg_has_role(current_user, 'replay_annotator', 'USAGE'));`).join('\n')}
${[...RESTORED, 'archives'].map((table) => `CREATE POLICY restore ON replay_harness.${table} FOR INSERT TO replay_retention WITH CHECK (true);`).join('\n')}
${[...READABLE, ...REPLAYABLE].map((table) => `CREATE POLICY upkeep ON replay_harness.${table} FOR SELECT TO replay_retention USING (true);`).join('\n')}
${[...READABLE, 'vault_log', 'workflow_permissions'].map((table) => `CREATE POLICY audit ON replay_harness.${table} FOR SELECT TO replay_auditor USING (true);`).join('\n')}
CREATE POLICY own_workflow ON replay_harness.runs FOR SELECT TO replay_reader, replay_annotator
  USING (name = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[]) OR '*' = ANY ((SELECT replay_harness.readable_workflows(current_user))::text[]));
CREATE POLICY own_workflow ON replay_harness.blobs FOR SELECT TO replay_reader, replay_annotator USING (replay_harness.may_read_blob(hash, current_user));
${OWN_RUN.map((table) => `CREATE POLICY own_workflow ON replay_harness.${table} FOR SELECT TO replay_reader, replay_annotator USING (EXISTS (SELECT 1 FROM replay_harness.runs r WHERE r.id = run_id));`).join('\n')}
CREATE POLICY annotate ON replay_harness.annotations FOR INSERT TO replay_annotator WITH CHECK (written_by = session_user AND EXISTS (SELECT 1 FROM replay_harness.runs r WHERE r.id = run_id));
`;
