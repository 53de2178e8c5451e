// Buffer's fast paths, present in every supported Node and missing from @types/node.
interface Buffer {
  utf8Write(text: string, offset?: number, length?: number): number;
  utf8Slice(start?: number, end?: number): string;
  latin1Slice(start?: number, end?: number): string;
}
