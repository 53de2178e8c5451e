// Types, an enum and imports without their endings: what needs a TypeScript loader.
import { type Answer, ask } from './s16-ask';

enum Tone { Plain = 'plain', Polite = 'polite' }
interface Told extends Answer { readonly tone: Tone }

async function told(tone: Tone): Promise<Told> {
  return { ...(await ask(tone)), tone };
}
function fail(): never {
  throw new Error('on purpose');
}
void (async () => {
  const { id, tone } = await told(Tone.Polite);
  console.log(id, Date.now(), Math.random(), tone);
  try {
    fail();
  } catch (error) {
    console.log((error as Error).stack!.split('\n').slice(1, 3).join('\n'));
  }
  const { late } = await import('./s16-late');
  console.log(late(1));
})();
