-- Runs in which a tool answered with nothing: no text, no value, or lists that are all empty.
-- :tool      the tool's name, as a model or an MCP server knows it; of an HTTP call a part of its method and address
-- :value     what one of its arguments was, as a LIKE pattern: GB-% is every code that begins with GB- (default %)
-- :argument  name of that argument, as a LIKE pattern (default %)
-- :days      how far back (default 30)
WITH recent AS MATERIALIZED (
  SELECT s.run_id, s.lane, s.step, s.kind, s.name, s.started_at, c.input, c.output, c.envelope
  FROM replay_harness.runs r
  JOIN replay_harness.steps s ON s.run_id = r.id
  JOIN replay_harness.step_readings c ON c.run_id = s.run_id AND c.lane = s.lane AND c.step = s.step
  WHERE r.started_at >= now() - make_interval(days => :days::int)
    AND (s.kind = 'tool' OR s.kind = 'llm' AND c.envelope ? 'toolCalls')
    AND c.interpreter = (SELECT max(newest.interpreter) FROM replay_harness.step_readings newest WHERE newest.run_id = c.run_id AND newest.lane = c.lane AND newest.step = c.step)
), asked AS (
  SELECT run_id, lane, step, started_at, call -> 'args' AS arguments, call -> 'result' AS answer, call -> 'servedBy' AS served_by
  FROM recent CROSS JOIN jsonb_array_elements(envelope -> 'toolCalls') AS call
  WHERE kind = 'llm' AND call ->> 'name' = :tool AND call -> 'error' IS NOT DISTINCT FROM 'null'::jsonb AND call -> 'answeredAt' IS DISTINCT FROM 'null'::jsonb
), call AS (
  -- What a model was told came of the call that it asked for,
  SELECT run_id, lane, step, started_at, arguments, answer FROM asked
  -- what the steps that did the work for it were answered,
  UNION ALL
  SELECT a.run_id, a.lane, s.step, s.started_at, a.arguments, coalesce(s.output -> 'body', s.output -> 'result', s.output -> 'rows', 'null')
  FROM asked a CROSS JOIN jsonb_array_elements_text(a.served_by) AS number
  JOIN recent s ON s.run_id = a.run_id AND s.lane = a.lane AND s.step = number::bigint
  WHERE s.kind = 'tool' AND s.output IS NOT NULL
  -- tools of MCP servers,
  UNION ALL
  SELECT run_id, lane, step, started_at, input -> 'args', coalesce(output #> '{result,structuredContent}', output #> '{result,content,0,text}', output -> 'result')
  FROM recent WHERE kind = 'tool' AND input ->> 'tool' = :tool AND output IS NOT NULL
  -- and HTTP calls: their query is their arguments, and so is a JSON body.
  UNION ALL
  SELECT run_id, lane, step, started_at,
    coalesce((SELECT jsonb_object_agg(pair[1], pair[2]) FROM regexp_matches(input ->> 'url', '[?&]([^=&#]+)=([^&#]*)', 'g') AS pair), '{}')
      || CASE WHEN jsonb_typeof(input -> 'body') = 'object' THEN input -> 'body' ELSE '{}' END,
    coalesce(output -> 'body', 'null')
  FROM recent WHERE kind = 'tool' AND input ? 'url' AND output IS NOT NULL AND strpos(coalesce(input ->> 'method', '') || ' ' || (input ->> 'url'), :tool) > 0
), empty AS (
  SELECT * FROM call
  WHERE (answer IN ('null', '""', '[]', '{}')
      OR jsonb_path_exists(answer, 'strict $.** ? (@.type() == "array")') AND NOT jsonb_path_exists(answer, 'strict $.** ? (@.type() == "array" && @.size() > 0)')
      -- JSON within a text
      OR jsonb_typeof(answer) = 'string' AND answer #>> '{}' ~ '^\s*(\[\s*\]|\{\s*\}|null|\{[^][]*(\[\s*\][^][]*)+\})?\s*$')
    AND EXISTS (
      SELECT 1 FROM jsonb_each_text(CASE jsonb_typeof(arguments) WHEN 'object' THEN arguments ELSE '{}' END) AS argument
      WHERE argument.key LIKE :argument AND argument.value LIKE :value)
)
SELECT r.id AS run, r.started_at AS started, r.agent, r.name AS workflow, min(e.step) AS step, count(DISTINCT (e.lane, e.step)) AS answers,
  (array_agg(e.arguments ORDER BY e.step))[1] AS arguments
FROM empty e JOIN replay_harness.runs r ON r.id = e.run_id
GROUP BY r.id ORDER BY r.started_at DESC, r.id DESC
