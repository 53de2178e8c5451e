/** Partitions: made by the first run of a month, for that month and the next; by `register_embedder` for vectors. */
export const PARTITIONS = `
CREATE TABLE replay_harness.step_readings_other PARTITION OF replay_harness.step_readings DEFAULT;
CREATE TABLE replay_harness.step_blobs_other PARTITION OF replay_harness.step_blobs DEFAULT;
CREATE TABLE replay_harness.context_manifests_other PARTITION OF replay_harness.context_manifests DEFAULT;
CREATE TABLE replay_harness.tapes_other PARTITION OF replay_harness.tapes DEFAULT;
CREATE TABLE replay_harness.step_embeddings_other PARTITION OF replay_harness.step_embeddings DEFAULT;

-- The first id of a moment: 48 bits of milliseconds, then zeros.
CREATE FUNCTION replay_harness.first_id(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- Null for an id that holds no time of this century.
CREATE FUNCTION replay_harness.time_of(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT CASE WHEN substr(id::text, 15, 1) = '7' AND substr(id::text, 1, 2) <= '03'
    THEN to_timestamp((('x' || lpad(replace(substr(id::text, 1, 13), '-', ''), 16, '0'))::bit(64)::bigint) / 1000.0) END
$$;

-- A month whose rows lie in the default partition already stays there.
CREATE FUNCTION replay_harness.make_partitions(moment timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  parent text;
  first timestamptz;
  name text;
BEGIN
  FOR ahead IN 0..1 LOOP
    first := (date_trunc('month', moment AT TIME ZONE 'UTC') + make_interval(months => ahead)) AT TIME ZONE 'UTC';
    FOREACH parent IN ARRAY ARRAY['step_readings', 'step_blobs', 'context_manifests', 'tapes'] LOOP
      name := parent || '_' || to_char(first AT TIME ZONE 'UTC', 'YYYYMM');
      CONTINUE WHEN to_regclass('replay_harness.' || name) IS NOT NULL;
      PERFORM pg_advisory_xact_lock(hashtext('replay_harness.make_partitions'));
      CONTINUE WHEN to_regclass('replay_harness.' || name) IS NOT NULL;
      BEGIN
        EXECUTE format('CREATE TABLE replay_harness.%I PARTITION OF replay_harness.%I FOR VALUES FROM (%L) TO (%L)', name, parent,
          replay_harness.first_id(first), replay_harness.first_id((first AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'));
        PERFORM replay_harness.guard_partition(name);
      EXCEPTION WHEN check_violation OR invalid_object_definition OR duplicate_table THEN NULL;
      END;
    END LOOP;
  END LOOP;
END $$;

CREATE FUNCTION replay_harness.partitions_of_new_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF replay_harness.time_of(NEW.id) IS NOT NULL THEN PERFORM replay_harness.make_partitions(replay_harness.time_of(NEW.id)); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER partitions AFTER INSERT ON replay_harness.runs FOR EACH ROW EXECUTE FUNCTION replay_harness.partitions_of_new_run();

-- Before the first vector of an embedder is stored. Idempotent.
CREATE FUNCTION replay_harness.register_embedder(embedder text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  name text := 'step_embeddings_' || substr(md5(embedder), 1, 12);
BEGIN
  IF to_regclass('replay_harness.' || name) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('replay_harness.register_embedder'));
  IF to_regclass('replay_harness.' || name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE replay_harness.%I PARTITION OF replay_harness.step_embeddings FOR VALUES IN (%L)', name, embedder);
  EXECUTE format('CREATE INDEX ON replay_harness.%I USING hnsw (embedding vector_cosine_ops)', name);
  PERFORM replay_harness.guard_partition(name);
EXCEPTION WHEN check_violation OR invalid_object_definition THEN
  RAISE EXCEPTION 'vectors of embedder % lie in the store already without having been registered', embedder USING HINT = 'Call replay_harness.register_embedder before the first INSERT.';
END $$;
`;
