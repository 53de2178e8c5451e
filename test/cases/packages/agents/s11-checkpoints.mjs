// A graph of three nodes, its checkpoints, and the run taken up again from the second one.
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ notes: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }) });
const ask = async (path) => (await fetch(new URL(path, process.env.SERVER_URL))).json();
const graph = new StateGraph(State)
  .addNode('plan', async () => ({ notes: [`plan ${Object.keys(await ask('/json')).length}`] }))
  .addNode('act', async () => ({ notes: [`act ${Math.random()}`] }))
  .addNode('answer', async () => ({ notes: [`answer ${Date.now()}`] }))
  .addEdge(START, 'plan').addEdge('plan', 'act').addEdge('act', 'answer').addEdge('answer', END)
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: 'thread-1' } };
console.log('first', (await graph.invoke({ notes: ['go'] }, config)).notes);
const history = [];
for await (const state of graph.getStateHistory(config)) history.push(state);
for (const { config: { configurable }, next, metadata, createdAt } of history) console.log(configurable.checkpoint_id, next, metadata.step, createdAt);
console.log('resumed', (await graph.invoke(null, history.at(1).config)).notes);
for await (const { config: { configurable }, metadata } of graph.getStateHistory(config)) console.log(configurable.checkpoint_id, metadata.step);
