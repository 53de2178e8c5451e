-- Errors by what failed and how, with the newest run of each.
-- :agent  agent id, as a LIKE pattern (default %)
-- :days   how far back (default 7)
SELECT s.name, s.boundary, c.error ->> 'code' AS code, count(*) AS times, count(DISTINCT s.run_id) AS runs, max(s.started_at) AS latest,
  (array_agg(s.run_id ORDER BY s.started_at DESC))[1] AS run, (array_agg(s.step ORDER BY s.started_at DESC))[1] AS step
FROM replay_harness.steps s JOIN replay_harness.step_readings c ON c.run_id = s.run_id AND c.lane = s.lane AND c.step = s.step
WHERE s.kind IN ('llm', 'tool') AND c.error IS NOT NULL AND s.agent_id LIKE :agent AND s.started_at >= now() - make_interval(days => :days::int)
GROUP BY 1, 2, 3 ORDER BY times DESC, latest DESC
