/** Lines that fit a terminal: measured in columns, broken between characters as people see them, colours carried on. */

const wide = lazily(() => /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|^.\ufe0f|^[\u{20000}-\u{3fffd}]/u);
const nothing = lazily(() => /^[\p{Mn}\p{Me}]+$/u);
const PLAIN = /^[\x20-\x7e]*$/;
const TOKEN = /\u001b\[\d+m/g;
/** Narrower columns are not worth wrapping for. */
const NARROWEST = 20;

const graphemes = lazily(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** What knows all of Unicode takes ten milliseconds to be made, and most lines are plain. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(text.replace(TOKEN, ''))) width += widthOfGrapheme(segment);
  return width;
}

/** @returns the line in pieces of at most `columns`, broken at spaces where there are any. Text may hold colours, and nothing else that a terminal obeys. */
export function wrap(line: string, columns: number): string[] {
  if (columns < NARROWEST || widthOf(line) <= columns) return [line];
  const pieces: string[] = [];
  let style = '';
  let piece = '';
  let width = 0;
  /** Where the piece may be broken, after a space. */
  let gap: { readonly length: number; readonly width: number; readonly style: string } | undefined;
  const breakOff = (): void => {
    const at = gap ?? { length: piece.length, width, style };
    const [head, tail] = [piece.slice(0, at.length), piece.slice(at.length)];
    pieces.push(at.style === '' ? head.trimEnd() : `${head.trimEnd()}\u001b[0m`);
    piece = at.style + tail;
    width -= at.width;
    gap = undefined;
  };
  for (const token of tokensOf(line)) {
    if (token.startsWith('\u001b')) {
      style = token === '\u001b[0m' ? '' : token;
      piece += token;
      continue;
    }
    const columnsOfToken = widthOfGrapheme(token);
    if (width + columnsOfToken > columns) breakOff();
    piece += token;
    width += columnsOfToken;
    if (token === ' ' && width > columns / 2) gap = { length: piece.length, width, style };
  }
  return [...pieces, piece];
}

function* tokensOf(line: string): Generator<string> {
  if (PLAIN.test(line)) return yield* line;
  let at = 0;
  for (const { 0: token, index } of line.matchAll(TOKEN)) {
    for (const { segment } of graphemes().segment(line.slice(at, index))) yield segment;
    yield token;
    at = index + token.length;
  }
  for (const { segment } of graphemes().segment(line.slice(at))) yield segment;
}

function widthOfGrapheme(grapheme: string): number {
  if (grapheme >= ' ' && grapheme <= '~') return 1;
  return nothing().test(grapheme) ? 0 : wide().test(grapheme) ? 2 : 1;
}
