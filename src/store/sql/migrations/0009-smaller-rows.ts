/** Rows and indexes that take less of the disk, for what the ranking and the questions need of them. */
export const SMALLER_ROWS = `
-- What the ranking needs of where words stand: how often. A word that is there once needs no place, others are numbered.
-- ts_rank of a single word, and with it BM25 (src/analysis/lexical.ts), is the same to the last bit.
CREATE FUNCTION replay_harness.counted(words tsvector) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (SELECT coalesce(string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''' || CASE WHEN cardinality(positions) > 1
    THEN ':' || (SELECT string_agg(n::text, ',') FROM generate_series(1, cardinality(positions)) n) ELSE '' END, ' '), '')::tsvector FROM unnest(words));
REVOKE ALL ON FUNCTION replay_harness.counted(tsvector) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replay_harness.counted(tsvector) TO replay_writer, replay_retention;

-- Of a long row the words, which do not pack, lie beside it; all else is packed as far as it goes, and stays.
ALTER TABLE replay_harness.step_readings ALTER COLUMN search SET STORAGE EXTERNAL, ALTER COLUMN input SET STORAGE MAIN, ALTER COLUMN output SET STORAGE MAIN, ALTER COLUMN error SET STORAGE MAIN, ALTER COLUMN envelope SET STORAGE MAIN;

-- Numbers of few values pack to a fifth by this method, and to half by lz4, which a server may prefer.
ALTER TABLE replay_harness.step_embeddings ALTER COLUMN embedding SET COMPRESSION pglz;

-- Nobody looks for clocks and random values by their names.
DROP INDEX replay_harness.steps_by_kind;
CREATE INDEX steps_by_kind ON replay_harness.steps (kind, name, started_at DESC) WHERE kind IN ('llm', 'tool', 'message', 'state');

-- Of what follows pgvector's names are needed, wherever it lies.
DO $migration$
DECLARE
  lies name := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  before text := current_setting('search_path');
BEGIN
  PERFORM set_config('search_path', format('pg_catalog, %I', lies), true);
  -- Two bits of each number of a vector that has its weight everywhere (src/analysis/turned.ts): whether it is above and
  -- below half of what a number is on average. The nearest by these are candidates; the vectors themselves tell.
  CREATE FUNCTION replay_harness.signs(embedding vector) RETURNS bit LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (binary_quantize(embedding + array_fill(0.018::real, ARRAY[768])::vector) || binary_quantize(embedding - array_fill(0.018::real, ARRAY[768])::vector))::bit(1536);
  REVOKE ALL ON FUNCTION replay_harness.signs(vector) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION replay_harness.signs(vector) TO replay_writer, replay_retention, replay_reader, replay_annotator, replay_auditor;

  -- Others' vectors may have their weight in few places: those are compared with sixteen bits of each number.
  CREATE FUNCTION replay_harness.index_vectors(partition regclass, embedder text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF embedder = 'replay-harness-2' THEN
      EXECUTE format('CREATE INDEX %I ON %s USING hnsw ((replay_harness.signs(embedding)::bit(1536)) bit_hamming_ops) WHERE repeats IS NULL', (SELECT relname FROM pg_class WHERE oid = partition) || '_embedding_idx', partition);
    ELSE
      PERFORM replay_harness.index_vectors(partition);
    END IF;
  END $$;
  REVOKE ALL ON FUNCTION replay_harness.index_vectors(regclass, text) FROM PUBLIC;

  CREATE OR REPLACE FUNCTION replay_harness.register_embedder(embedder text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE
    name text := 'step_embeddings_' || substr(md5(embedder), 1, 12);
  BEGIN
    IF to_regclass('replay_harness.' || name) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('replay_harness.register_embedder'));
    IF to_regclass('replay_harness.' || name) IS NOT NULL THEN RETURN; END IF;
    EXECUTE format('CREATE TABLE replay_harness.%I PARTITION OF replay_harness.step_embeddings FOR VALUES IN (%L)', name, embedder);
    PERFORM replay_harness.index_vectors(format('replay_harness.%I', name)::regclass, embedder);
    PERFORM replay_harness.guard_partition(name);
  EXCEPTION WHEN check_violation OR invalid_object_definition THEN
    RAISE EXCEPTION 'vectors of embedder % lie in the store already without having been registered', embedder USING HINT = 'Call replay_harness.register_embedder before the first INSERT.';
  END $$;
  EXECUTE format('ALTER FUNCTION replay_harness.index_vectors(regclass, text) SET search_path = pg_catalog, %I, pg_temp', lies);
  EXECUTE format('ALTER FUNCTION replay_harness.register_embedder(text) SET search_path = pg_catalog, %I, pg_temp', lies);
  PERFORM set_config('search_path', before, true);
END $migration$;
`;
