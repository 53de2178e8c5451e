import { value as plain } from './plain.mjs';
await new Promise((resolve) => setTimeout(resolve, 3));
export const value = `${plain}, later`;
