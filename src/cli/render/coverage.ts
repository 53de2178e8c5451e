/** A run's coverage, as a table. */
import type { NoteEffect } from '../../model/event.ts';
import type { Coverage } from '../../steps/coverage.ts';
import { visible } from './text.ts';

const COLUMNS = ['BOUNDARY', 'STARTS', 'VALUES', 'DELIVERIES', 'OUTPUTS', 'BYTES'] as const;

const EFFECTS: Readonly<Record<NoteEffect, string>> = {
  refused: 'a replay stops there',
  arrived: 'it came from outside; a replay stops where it came',
  seen: 'a replay goes on, and may differ',
};

export function renderCoverage({ id, status }: { readonly id: string; readonly status: string }, { events, boundaries, uncaptured }: Coverage): string {
  const rows = boundaries.map(({ boundary, starts, values, deliveries, outputs, bytes }) => [boundary, ...[starts, values, deliveries, outputs, bytes].map((count) => (count === 0 ? '' : count.toLocaleString('en')))]);
  const widths = COLUMNS.map((column, at) => Math.max(column.length, ...rows.map((row) => (row[at] as string).length)));
  const line = (cells: readonly string[]): string => cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] as number) : cell.padStart(widths[at] as number))).join('  ').trimEnd();
  return [`Run ${id} (${status}), ${events.toLocaleString('en')} events`, '', line(COLUMNS), ...rows.map(line), '', ...gaps(uncaptured), ''].join('\n');
}

function gaps(uncaptured: Coverage['uncaptured']): string[] {
  if (uncaptured.length === 0) return ['Nothing got past.'];
  return [`Got past (${uncaptured.length}):`, ...uncaptured.map(({ name, stack, effect, step }) => `  ${step}  ${visible(name)}${stack && ` at ${visible(stack)}`}: ${EFFECTS[effect]}`)];
}
