// Types, an enum, and imports without their ending, by a TypeScript loader.
import { ask } from './s16-ask';

enum Tone { Plain = 'plain', Polite = 'polite' }
interface Answer { id: string; tone: Tone }

async function main(): Promise<Answer> {
  const { at } = new Error('here') as unknown as { at?: string };
  console.log(new Error('here').stack?.split('\n')[1]?.replace(/^.*agents\//, ''), at);
  return { id: await ask(), tone: Tone.Polite };
}
console.log(await main());
const { late } = await import('./s16-late');
console.log(late(1), process.argv.length, process.execArgv.length);
