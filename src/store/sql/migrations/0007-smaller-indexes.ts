/** Indexes that take less of the disk and of the ingester's time; vectors are packed where their zeros allow it. */
export const SMALLER_INDEXES = `
-- A step whose text an earlier step of its lane has too: that step's number. It has its own row and vector, and is found
-- through the other one: the index of vectors holds each text of a lane once.
ALTER TABLE replay_harness.step_embeddings ADD COLUMN repeats bigint;
CREATE INDEX embeddings_by_repeated ON replay_harness.step_embeddings (run_id, lane, repeats) WHERE repeats IS NOT NULL;

-- Vectors of such steps, taken from the row that has the vector already, packed as it is: to pack it again for each takes the
-- server longer than all else. Who calls it needs to read nothing.
CREATE FUNCTION replay_harness.repeat_vectors(run uuid, lanes int[], steps bigint[], firsts bigint[], embedders text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, position, repeats, embedding)
  SELECT f.run_id, f.lane, e.step, f.embedder, f.source, f.position, f.step, f.embedding
  FROM unnest(lanes, steps, firsts, embedders) AS e (lane, step, first, embedder)
  JOIN replay_harness.step_embeddings f ON f.run_id = run AND f.lane = e.lane AND f.step = e.first AND f.embedder = e.embedder AND f.source = 'step' AND f.position = 0 AND f.repeats IS NULL
  ON CONFLICT DO NOTHING
$$;
REVOKE ALL ON FUNCTION replay_harness.repeat_vectors(uuid, int[], bigint[], bigint[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replay_harness.repeat_vectors(uuid, int[], bigint[], bigint[], text[]) TO replay_writer, replay_retention;

-- Sixteen bits are enough to find the nearest by: half the pages, half the time. Distances are those of the vectors themselves.
CREATE FUNCTION replay_harness.index_vectors(partition regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  EXECUTE format('CREATE INDEX ON %s USING hnsw ((embedding::halfvec(768)) halfvec_cosine_ops) WHERE repeats IS NULL', partition);
END $$;
REVOKE ALL ON FUNCTION replay_harness.index_vectors(regclass) FROM PUBLIC;

DO $$
DECLARE
  index record;
BEGIN
  FOR index IN
    SELECT i.indexrelid::regclass AS name, i.indrelid::regclass AS partition FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
    WHERE a.amname = 'hnsw' AND i.indrelid IN (SELECT relid FROM pg_partition_tree('replay_harness.step_embeddings') WHERE isleaf)
  LOOP
    EXECUTE format('DROP INDEX %s', index.name);
    PERFORM replay_harness.index_vectors(index.partition);
  END LOOP;
END $$;

-- Of a short text most of a vector is zero. Still in the row.
ALTER TABLE replay_harness.step_embeddings ALTER COLUMN embedding SET STORAGE MAIN;

CREATE OR REPLACE FUNCTION replay_harness.register_embedder(embedder text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  name text := 'step_embeddings_' || substr(md5(embedder), 1, 12);
BEGIN
  IF to_regclass('replay_harness.' || name) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('replay_harness.register_embedder'));
  IF to_regclass('replay_harness.' || name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE replay_harness.%I PARTITION OF replay_harness.step_embeddings FOR VALUES IN (%L)', name, embedder);
  PERFORM replay_harness.index_vectors(format('replay_harness.%I', name)::regclass);
  PERFORM replay_harness.guard_partition(name);
EXCEPTION WHEN check_violation OR invalid_object_definition THEN
  RAISE EXCEPTION 'vectors of embedder % lie in the store already without having been registered', embedder USING HINT = 'Call replay_harness.register_embedder before the first INSERT.';
END $$;

-- Clocks and random values have no words: they stand in no index of words. What waits to be merged into it stays small:
-- pages that were given to that list stay the index's.
DROP INDEX replay_harness.readings_by_text;
CREATE INDEX readings_by_text ON replay_harness.step_readings USING gin (search) WITH (gin_pending_list_limit = 256) WHERE search IS NOT NULL;

-- Of hashes of 32 bytes one behind the other, from 1; null where there are zeros: how the ingester sends a column of them.
CREATE FUNCTION replay_harness.nth_hash(hashes bytea, nth bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN nullif(substring(hashes FROM (nth::int - 1) * 32 + 1 FOR 32), '\\x0000000000000000000000000000000000000000000000000000000000000000'::bytea);
REVOKE ALL ON FUNCTION replay_harness.nth_hash(bytea, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replay_harness.nth_hash(bytea, bigint) TO replay_writer, replay_retention;
`;
