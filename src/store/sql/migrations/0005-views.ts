/** The two schemas that the field's articles use, as views. They show what their reader may see, not what their owner may. */
export const VIEWS = `
-- A reading whose large parts lie in blobs, whole again; what is compressed there is named by its hash.
CREATE FUNCTION replay_harness.assembled(run uuid, at_lane int, at_step bigint, side text, base jsonb, moved text[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  path text;
  value jsonb;
  first_step bigint;
  whole jsonb := base;
BEGIN
  FOREACH path IN ARRAY moved LOOP
    CONTINUE WHEN split_part(path, '.', 1) <> side;
    SELECT root INTO first_step FROM replay_harness.context_manifests WHERE run_id = run AND lane = at_lane AND role = path AND step = at_step;
    IF FOUND THEN
      SELECT jsonb_agg(CASE WHEN b.codec = 'json' THEN convert_from(b.bytes, 'UTF8')::jsonb ELSE jsonb_build_object('$json', encode(element.hash, 'hex'), 'bytes', b.size) END ORDER BY m.step, element.position) INTO value
      FROM replay_harness.context_manifests m CROSS JOIN LATERAL unnest(m.added) WITH ORDINALITY element (hash, position) LEFT JOIN replay_harness.blobs b ON b.hash = element.hash
      WHERE m.run_id = run AND m.lane = at_lane AND m.role = path AND m.root = first_step AND m.step BETWEEN first_step AND at_step;
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
GRANT EXECUTE ON FUNCTION replay_harness.assembled(uuid, int, bigint, text, jsonb, text[]) TO replay_reader, replay_annotator, replay_auditor, replay_retention;

-- Each step with the reading of the newest interpreter. sequence: the step's number, unique among all lanes of the run.
CREATE VIEW replay_harness.interpreted_steps WITH (security_invoker = true) AS
SELECT s.*, (s.lane::bigint << 32) + s.step AS sequence, r.interpreter, r.summary, r.error, r.envelope,
  CASE WHEN r.moved <> '{}' THEN replay_harness.assembled(s.run_id, s.lane, s.step, 'input', r.input, r.moved) ELSE r.input END AS input,
  CASE WHEN r.moved <> '{}' THEN replay_harness.assembled(s.run_id, s.lane, s.step, 'output', r.output, r.moved) ELSE r.output END AS output
FROM replay_harness.steps s
LEFT JOIN LATERAL (SELECT * FROM replay_harness.step_readings d WHERE d.run_id = s.run_id AND d.lane = s.lane AND d.step = s.step ORDER BY d.interpreter DESC LIMIT 1) r ON true;

-- In the vocabulary of both views.
CREATE VIEW replay_harness.logged_steps WITH (security_invoker = true) AS
SELECT i.*,
  CASE WHEN kind IN ('message', 'state') THEN 'tool' ELSE kind END AS log_kind,
  CASE WHEN kind NOT IN ('message', 'state') THEN input WHEN jsonb_typeof(input) = 'object' THEN jsonb_build_object('kind', kind) || input ELSE jsonb_build_object('kind', kind, 'value', input) END AS log_input,
  CASE WHEN error IS NULL OR error = 'null' THEN output WHEN jsonb_typeof(output) = 'object' THEN output || jsonb_build_object('error', error) ELSE jsonb_build_object('error', error) END AS log_output
FROM replay_harness.interpreted_steps i;

CREATE VIEW replay_harness.run_log WITH (security_invoker = true) AS
SELECT run_id, sequence AS step, log_kind AS kind, log_input AS input, log_output AS output, encode(checksum, 'hex') AS checksum FROM replay_harness.logged_steps;

CREATE VIEW replay_harness.agent_execution_events WITH (security_invoker = true) AS
SELECT l.run_id, r.parent_run_id, l.sequence, l.log_kind || '_call' AS event_type, l.log_input AS input_payload, l.log_output AS output_payload, l.started_at AS timestamp_utc,
  jsonb_build_object('workflow', r.name, 'agent_id', l.agent_id, 'kind', l.kind, 'boundary', l.boundary, 'name', l.name, 'summary', l.summary, 'lane', l.lane, 'step', l.step, 'lamport', l.lamport,
    'causal_parent', l.causal_parent, 'after', l.after, 'latency_ms', l.latency_ms, 'key', encode(l.key, 'hex'), 'checksum', encode(l.checksum, 'hex'), 'envelope', l.envelope, 'interpreter', l.interpreter,
    'tags', r.tags, 'node', r.node) AS metadata,
  r.recorded_at AS created_at
FROM replay_harness.logged_steps l JOIN replay_harness.runs r ON r.id = l.run_id;

GRANT SELECT ON replay_harness.interpreted_steps, replay_harness.logged_steps, replay_harness.run_log, replay_harness.agent_execution_events TO replay_reader, replay_annotator, replay_auditor, replay_retention;
`;
