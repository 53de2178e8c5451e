/**
 * Text that JSONB takes: it refuses U+0000 and lone surrogates, which models and files do send. Each is written as U+241B
 * (the picture of ESC) and four hexadecimal digits, and so is U+241B itself: reversible, and readable in SQL.
 */
const REFUSED = /[\u0000\u241b]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPED = /\u241b([0-9a-f]{4})/g;

export function escapeText(text: string): string {
  // Most text has none of them, and of what follows each is a scan in native code.
  if (text.isWellFormed() && !text.includes('\0') && !text.includes('\u241b')) return text;
  return text.replace(REFUSED, (found) => `\u241b${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function unescapeText(text: string): string {
  return text.includes('\u241b') ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text;
}
