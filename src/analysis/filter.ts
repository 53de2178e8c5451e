/** Which steps a search is about, as conditions of SQL. */

export interface Filter {
  /** ISO 8601: started then or later. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Agent id of the step. */
  readonly agent?: string | undefined;
  readonly kind?: string | undefined;
  /** Tags that the run has, all of them. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Full ids. */
  readonly runs?: readonly string[] | undefined;
}

/** Values of $1, $2, … as they come. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns the placeholder */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** @param alias of a table with run_id, lane and step @returns joins, and conditions with AND in front; empty where nothing is asked for */
export function conditionsOf({ since, until, agent, kind, tags, runs }: Filter, alias: string, parameters: Parameters): { readonly joins: string; readonly conditions: string } {
  const ofStep = [
    ...(since === undefined ? [] : [`s.started_at >= ${parameters.add(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`s.started_at < ${parameters.add(until)}::timestamptz`]),
    ...(agent === undefined ? [] : [`s.agent_id = ${parameters.add(agent)}`]),
    ...(kind === undefined ? [] : [`s.kind = ${parameters.add(kind)}`]),
  ];
  const ofRun = tags && Object.keys(tags).length > 0 ? [`r.tags @> ${parameters.add(JSON.stringify(tags))}::jsonb`] : [];
  const own = runs === undefined ? [] : [`${alias}.run_id = ANY(${parameters.add(runs)}::uuid[])`];
  return {
    joins: [
      ...(ofStep.length > 0 ? [`JOIN replay_harness.steps s ON s.run_id = ${alias}.run_id AND s.lane = ${alias}.lane AND s.step = ${alias}.step`] : []),
      ...(ofRun.length > 0 ? [`JOIN replay_harness.runs r ON r.id = ${alias}.run_id`] : []),
    ].join(' '),
    conditions: [...own, ...ofStep, ...ofRun].map((condition) => ` AND ${condition}`).join(''),
  };
}
