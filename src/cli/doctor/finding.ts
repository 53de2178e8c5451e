/** What would make a program irreproducible, and the way out. */

/** In the order in which they are listed. */
export const RULES = [
  'native-addon', 'shared-memory', 'cluster', 'wasi', 'uncaptured', 'lost-events', 'truncated', 'replay', 'changed-program', 'node-version', 'clock-jump', 'clock-skew', 'model-alias',
  'machine-node', 'machine-sandbox', 'machine-store', 'machine-keys',
] as const;
export type Rule = (typeof RULES)[number];

/** `stops`: a replay stops there; `differs`: a replay may differ, or not be byte for byte; `live`: only what is called live again (fork, record) is touched. */
export type Effect = 'stops' | 'differs' | 'live';

export interface Finding {
  readonly rule: Rule;
  readonly effect: Effect;
  /** Id of the run that shows it; null: the machine. */
  readonly run: string | null;
  /** Number of the step or event that shows it; null: the whole. */
  readonly step: number | null;
  readonly what: string;
  /** In the program's own code; '' where that is not known. */
  readonly where: string;
  readonly wayOut: string;
}

export interface Diagnosis {
  /** Of what. */
  readonly subject: { readonly run: string } | { readonly command: readonly string[] } | { readonly machine: string };
  /** What was looked for. */
  readonly rules: readonly Rule[];
  readonly findings: readonly Finding[];
}

/** What stops a replay first. */
export function sorted(findings: readonly Finding[]): Finding[] {
  const weight = ({ effect, rule }: Finding): number => ['stops', 'differs', 'live'].indexOf(effect) * RULES.length + RULES.indexOf(rule);
  return [...findings].sort((one, other) => weight(one) - weight(other));
}
