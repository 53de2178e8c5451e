// Registers module hooks that find and compile TypeScript, as a preload.
import { register } from 'node:module';

register('./s16-typescript.mjs', import.meta.url);
