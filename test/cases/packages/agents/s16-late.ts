export const late = (n: number): string => `late ${n satisfies number}`;
