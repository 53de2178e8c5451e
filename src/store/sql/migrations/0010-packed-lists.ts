/** Lists whose long members are packed together (src/store/ingest/packs.ts), as the views and the search see them. */
export const PACKED_LISTS = `
-- Of a range: number of its pack at 0, its first member at 4, how many at 8. Null for a hash.
CREATE FUNCTION replay_harness.number_in(bytes bytea, at int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length(bytes) = 12 THEN (get_byte(bytes, at) & 127) << 24 | get_byte(bytes, at + 1) << 16 | get_byte(bytes, at + 2) << 8 | get_byte(bytes, at + 3) END;

-- Members of a list that its parts up to a step hold, by their places from 1. Of an element of 12 bytes, a range of a pack: the
-- pack's hash, and which member of it.
CREATE FUNCTION replay_harness.list_members(run uuid, at_lane int, list text, first_step bigint, at_step bigint) RETURNS TABLE (place bigint, hash bytea, member int) LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (1) numbered.place, coalesce(pack.hash, numbered.element), numbered.member FROM (
    SELECT m.kept + row_number() OVER (PARTITION BY m.step ORDER BY e.position, one.member) AS place, e.element, one.member
    FROM replay_harness.context_manifests m CROSS JOIN LATERAL unnest(m.added) WITH ORDINALITY e (element, position)
    CROSS JOIN LATERAL (
      SELECT NULL::int AS member WHERE octet_length(e.element) <> 12
      UNION ALL SELECT replay_harness.number_in(e.element, 4) + n FROM generate_series(0, replay_harness.number_in(e.element, 8) - 1) n) one
    WHERE m.run_id = run AND m.lane = at_lane AND m.role = list AND m.root = first_step AND m.step <= at_step) numbered
  LEFT JOIN replay_harness.step_blobs pack ON numbered.member IS NOT NULL AND pack.run_id = run AND pack.role = list AND pack.position = replay_harness.number_in(numbered.element, 0)
  ORDER BY 1
$$;

-- Those of a step's list that no step before it in the list has. moved: of its reading; one that says where the list begins is of a
-- version with packs, any other of one that wrote a row for each step.
CREATE FUNCTION replay_harness.new_members(run uuid, at_lane int, at_step bigint, moved text) RETURNS TABLE (place bigint, hash bytea, member int) LANGUAGE plpgsql STABLE AS $$
DECLARE
  words text[] := string_to_array(moved, ' ');
BEGIN
  IF cardinality(words) = 4 THEN
    RETURN QUERY SELECT l.* FROM replay_harness.list_members(run, at_lane, words[1], words[2]::bigint, at_step) l WHERE l.place > words[3]::bigint AND l.place <= words[4]::bigint;
  ELSE
    RETURN QUERY SELECT m.kept + e.position, e.element, NULL::int FROM replay_harness.context_manifests m, unnest(m.added) WITH ORDINALITY e (element, position)
      WHERE m.run_id = run AND m.lane = at_lane AND m.step = at_step AND m.role = moved;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION replay_harness.assembled(run uuid, at_lane int, at_step bigint, side text, base jsonb, moved text[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  told text;
  words text[];
  path text;
  value jsonb;
  first_step bigint;
  how_many bigint;
  whole jsonb := base;
BEGIN
  FOREACH told IN ARRAY moved LOOP
    words := string_to_array(told, ' ');
    path := words[1];
    CONTINUE WHEN split_part(path, '.', 1) <> side;
    first_step := NULL;
    how_many := NULL;
    IF cardinality(words) = 4 THEN
      first_step := words[2]::bigint;
      how_many := words[4]::bigint;
    ELSE
      SELECT root INTO first_step FROM replay_harness.context_manifests WHERE run_id = run AND lane = at_lane AND role = path AND step = at_step;
    END IF;
    IF first_step IS NOT NULL THEN
      SELECT jsonb_agg(CASE WHEN l.member IS NOT NULL THEN jsonb_build_object('$json', encode(l.hash, 'hex'), 'member', l.member) WHEN b.codec = 'json' THEN convert_from(b.bytes, 'UTF8')::jsonb
        ELSE jsonb_build_object('$json', encode(l.hash, 'hex'), 'bytes', b.size) END ORDER BY l.place) INTO value
      FROM replay_harness.list_members(run, at_lane, path, first_step, at_step) l LEFT JOIN replay_harness.blobs b ON b.hash = l.hash WHERE how_many IS NULL OR l.place <= how_many;
      value := coalesce(value, '[]');
    ELSE
      SELECT CASE WHEN bool_and(b.codec = 'json') THEN convert_from(string_agg(b.bytes, '' ORDER BY s.position), 'UTF8')::jsonb
        ELSE jsonb_agg(jsonb_build_object('$json', encode(s.hash, 'hex'), 'bytes', b.size) ORDER BY s.position) END INTO value
      FROM replay_harness.step_blobs s LEFT JOIN replay_harness.blobs b ON b.hash = s.hash
      WHERE s.run_id = run AND s.lane = at_lane AND s.step = at_step AND s.role = path;
    END IF;
    IF path = side THEN whole := value;
    ELSE whole := jsonb_set(whole, (string_to_array(path, '.'))[2:], coalesce(value, 'null'));
    END IF;
  END LOOP;
  RETURN whole;
END $$;

REVOKE ALL ON FUNCTION replay_harness.list_members(uuid, int, text, bigint, bigint), replay_harness.number_in(bytea, int), replay_harness.new_members(uuid, int, bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION replay_harness.list_members(uuid, int, text, bigint, bigint), replay_harness.number_in(bytea, int), replay_harness.new_members(uuid, int, bigint, text) TO replay_reader, replay_annotator, replay_auditor, replay_retention;
`;
