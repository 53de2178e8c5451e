/** What the reader's terminal can do. */

export interface Terminal {
  readonly color: boolean;
  /** Columns to wrap at; undefined where nobody's eyes are known: a pipe or a file. */
  readonly columns: number | undefined;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Colours by https://no-color.org and FORCE_COLOR, else on a terminal only. */
export function terminalOf(stream: Stream, env: Readonly<Record<string, string | undefined>>): Terminal {
  const forced = env['FORCE_COLOR'];
  const terminal = stream.isTTY === true;
  const color = env['NO_COLOR'] ? false : forced !== undefined && forced !== '' ? !/^(?:0|false)$/.test(forced) : terminal && env['TERM'] !== 'dumb';
  return { color, columns: terminal && stream.columns ? stream.columns : undefined };
}
