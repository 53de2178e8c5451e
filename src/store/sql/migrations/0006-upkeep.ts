/** What upkeep has to know of runs that came from another host, and of those that went to an archive and came back. */
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
`;
