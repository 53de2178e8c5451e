/** Search on both engines. */
import { expect, it } from 'vitest';
import { EMBEDDER } from '../../src/analysis/embedder.ts';
import { foundSteps } from '../../src/analysis/found-steps.ts';
import { searchLike, searchText } from '../../src/analysis/search.ts';
import type { Filter } from '../../src/analysis/filter.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { FORMER_BUILT_IN } from '../../src/analysis/searchable.ts';
import { measureQuality } from '../quality/quality.ts';
import { onBothEngines } from '../store/sql/support/engines.ts';
import { http, llm, seedSteps } from './support/seed-steps.ts';

async function find(database: Database, text: string, filter: Filter = {}, limit = 10): Promise<string[]> {
  const hits = await searchText(database, text, filter, limit);
  return hits.map(({ run_id, step }) => `${run_id} ${step}`);
}

onBothEngines('search', (engine) => {
  it('finds by words, by parts of words and by codes, whatever the run, and says how', async () => {
    const { owner } = engine();
    const contract = await seedSteps(owner, { agent: 'reviewer', workflow: 'contracts', tags: { team: 'legal' }, steps: [llm('Which risk has the retention of title clause in GB-SCT?', 'The clause is low risk.'), http('http://register.test/jurisdictions?code=GB-SCT', { entries: [] })] });
    const order = await seedSteps(owner, { agent: 'buyer', days: 40, steps: [llm('Order 40 paper clips for the office in Leeds', 'Ordered.'), { kind: 'state', name: 'listen', summary: 'paper clips listening' }] });
    expect((await find(owner, 'retention of title'))[0]).toBe(`${contract} 10`);
    expect((await find(owner, 'GB-SCT')).slice(0, 2).sort()).toEqual([`${contract} 10`, `${contract} 20`]);
    expect((await find(owner, 'ordering paperclips'))[0]).toBe(`${order} 10`);
    expect((await find(owner, 'paper clips')).slice(0, 2).sort()).toEqual([`${order} 10`, `${order} 20`].sort());
    const [first] = await searchText(owner, 'jurisdictions', {}, 1);
    expect(first).toMatchObject({ run_id: contract, lane: 0, step: 20, wordRank: 1, vectorRank: 1 });
    const [found] = await foundSteps(owner, first ? [first] : []);
    expect(found).toMatchObject({ run: contract, step: 20, kind: 'tool', name: 'GET /jurisdictions', agent: 'reviewer', workflow: 'contracts', tags: { team: 'legal' }, summary: '200' });
    expect(found?.texts.join(' ')).toContain('code=GB-SCT');

    const filtered = (filter: Filter): Promise<string[]> => find(owner, 'clause risk paper clips order jurisdictions', filter);
    expect((await filtered({})).length).toBe(4);
    expect((await filtered({ agent: 'buyer' })).sort()).toEqual([`${order} 10`, `${order} 20`].sort());
    expect((await filtered({ kind: 'llm' })).sort()).toEqual([`${contract} 10`, `${order} 10`].sort());
    expect((await filtered({ since: new Date(Date.now() - 30 * 86_400_000).toISOString() })).sort()).toEqual([`${contract} 10`, `${contract} 20`].sort());
    expect((await filtered({ until: new Date(Date.now() - 30 * 86_400_000).toISOString() })).sort()).toEqual([`${order} 10`, `${order} 20`].sort());
    expect((await filtered({ tags: { team: 'legal' } })).sort()).toEqual([`${contract} 10`, `${contract} 20`].sort());
    expect(await filtered({ tags: { team: 'legal' }, agent: 'buyer' })).toEqual([]);
    expect((await find(owner, 'clause risk paper clips order', {}, 1)).length).toBe(1);
  });

  it('finds what is like a step, without the step', async () => {
    const { owner } = engine();
    const [first, second, other] = [await seedSteps(owner, { steps: [llm('Summarise the quarterly sales figures of Norway', 'Sales rose.')] }), await seedSteps(owner, { steps: [llm('Summarise the quarterly sales figures of Sweden', 'Sales fell.')] }), await seedSteps(owner, { steps: [llm('Draw a cat', 'A cat.')] })];
    const hits = await searchLike(owner, { run_id: first, lane: 0, step: 10 }, {}, 3);
    expect(hits?.[0]).toMatchObject({ run_id: second, step: 10, wordRank: null, vectorRank: 1 });
    expect(hits?.[0]?.distance).toBeLessThan(hits?.find(({ run_id }) => run_id === other)?.distance ?? 2);
    expect(hits?.some(({ run_id }) => run_id === first)).toBe(false);
    expect(await searchLike(owner, { run_id: first, lane: 0, step: 11 }, {}, 3)).toBeUndefined();
  });

  it('finds steps of older stores, whose vectors the former embedder made, together with new ones', async () => {
    const { owner } = engine();
    const [older, newer, other] = [await seedSteps(owner, { embedder: FORMER_BUILT_IN, steps: [llm('Water the ferns in the greenhouse', 'Watered.')] }), await seedSteps(owner, { steps: [llm('Water the ferns on the balcony', 'Done.')] }), await seedSteps(owner, { embedder: FORMER_BUILT_IN, steps: [llm('Water the lawn', 'Later.')] })];
    const hits = await searchText(owner, 'who watered the ferns', {}, 10);
    expect(hits.slice(0, 2).map(({ run_id: run, vectorRank }) => [run, vectorRank]).sort()).toEqual([[older, 1], [newer, 2]].sort());
    for (const run_id of [older, newer]) {
      const like = await searchLike(owner, { run_id, lane: 0, step: 10 }, {}, 3);
      expect(like?.[0]).toMatchObject({ run_id: run_id === older ? newer : older });
      expect(like?.map((hit) => hit.run_id)).toContain(other);
    }
  });

  it('takes whatever is asked', async () => {
    const { owner } = engine();
    for (const text of ['the of and', "'; DROP TABLE x --", "it's \\ 'quoted' & | ! ( ) <-> :*", '…', '温度', 'x'.repeat(100_000), 'word '.repeat(5000), '\ud800 a\0b']) expect(Array.isArray(await searchText(owner, text, {}, 5))).toBe(true);
  });

  it('asks the indexes', async () => {
    const { owner } = engine();
    await seedSteps(owner, { steps: [llm('hello', 'world')] });
    const plans = await owner.transaction(async (inside) => {
      // A table of a few rows is read whole otherwise.
      await inside.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
      const explained: string[] = [];
      const spy: Database = {
        ...inside,
        query: async <T>(sql: string, params?: readonly unknown[]) => {
          if (/FROM replay_harness\.step_(?:embeddings|readings) c/.test(sql)) explained.push((await inside.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params)).map((row) => row['QUERY PLAN']).join('\n'));
          return inside.query<T>(sql, params);
        },
        transaction: (work) => work(spy),
      };
      await searchText(spy, 'hello world', {}, 5);
      return explained.join('\n');
    });
    expect(plans).toMatch(/Index Scan using step_embeddings_\w+_embedding_idx/);
    expect(plans).toMatch(/Bitmap Index Scan on step_readings_\w+_search_idx/);
    // Of the partitions of vectors, that of the embedder only.
    expect(plans).not.toMatch(/step_embeddings_other/);
  });

  it('a reader finds what the workflows of his permissions hold, and nothing else', async () => {
    const { owner } = engine();
    const id = await seedSteps(owner, { workflow: 'secret plans', steps: [llm('Where is the zeppelin hangar?', 'In the zeppelin valley.')] });
    const reader = await engine().as('replay_reader');
    expect(await find(owner, 'zeppelin')).toContain(`${id} 10`);
    expect(await find(reader, 'zeppelin')).toEqual([]);
  });
});

onBothEngines('search quality', (engine) => {
  it('finds descriptions of packages by their synopses', async () => {
    const quality = await measureQuality(engine().owner, 400, 60);
    console.log(`MRR@10 on ${engine().name}, ${quality.queries} queries in ${quality.documents} texts: ${quality.hybrid.toFixed(3)}; words ${quality.words.toFixed(3)}, vectors of ${EMBEDDER} ${quality.vector.toFixed(3)}`);
    expect(quality.hybrid).toBeGreaterThan(0.82);
    expect(Math.min(quality.words, quality.vector)).toBeGreaterThan(0.78);
  });
});
