-- Model calls by model and the snapshot that answered, with tokens and time.
-- :agent  agent id, as a LIKE pattern (default %)
-- :days   how far back (default 30)
SELECT c.envelope ->> 'provider' AS provider, c.envelope ->> 'model' AS model, c.envelope ->> 'snapshot' AS snapshot, count(*) AS calls, count(DISTINCT s.run_id) AS runs,
  sum((c.envelope #>> '{usage,inputTokens}')::numeric)::bigint AS input_tokens, sum((c.envelope #>> '{usage,outputTokens}')::numeric)::bigint AS output_tokens,
  round(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.latency_ms)::numeric)::int AS median_ms, max(s.started_at) AS latest
FROM replay_harness.steps s JOIN replay_harness.step_readings c ON c.run_id = s.run_id AND c.lane = s.lane AND c.step = s.step
WHERE s.kind = 'llm' AND s.agent_id LIKE :agent AND s.started_at >= now() - make_interval(days => :days::int)
GROUP BY 1, 2, 3 ORDER BY calls DESC
