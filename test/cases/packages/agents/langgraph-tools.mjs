// LangGraph: an agent with a tool node and memory; its model is called over HTTP. Streamed, over two turns of one thread.
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import OpenAI from 'openai';
import { z } from 'zod';
const client = new OpenAI({ apiKey: 'sk-test-0000', baseURL: `${process.env.MODEL_URL}/v1`, maxRetries: 8 });
const schema = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
const status = tool(async ({ order_id: id }) => (await fetch(`${process.env.SERVER_URL}/json?order=${id}`)).text(), { name: 'get_order_status', description: 'Status of an order', schema: z.object({ order_id: z.string() }) });
const role = { human: 'user', ai: 'assistant', tool: 'tool' };
const wire = (message) => ({
  role: role[message.getType()],
  content: message.content,
  ...(message.tool_calls?.length && { tool_calls: message.tool_calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })) }),
  ...(message.tool_call_id && { tool_call_id: message.tool_call_id }),
});
const callModel = async ({ messages }) => {
  const { id, choices: [{ message }] } = await client.chat.completions.create({ model: 'gpt-4o-mini', messages: messages.map(wire), tools: [{ type: 'function', function: { name: 'get_order_status', description: 'Status of an order', parameters: schema } }] });
  return { messages: [new AIMessage({ id, content: message.content ?? '', tool_calls: (message.tool_calls ?? []).map((call) => ({ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) })) })] };
};
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', callModel)
  .addNode('tools', new ToolNode([status]))
  .addEdge(START, 'model').addConditionalEdges('model', toolsCondition).addEdge('tools', 'model')
  .compile({ checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: '1' }, recursionLimit: 12 };
for (const question of ['Where is my order A-1042?', 'And where is order B-77?']) {
  for await (const update of await graph.stream({ messages: [new HumanMessage(question)] }, { ...config, streamMode: 'updates' })) {
    for (const [node, { messages }] of Object.entries(update)) console.log(node, messages.map((message) => [message.id, message.content, message.tool_calls?.map(({ args }) => args)]));
  }
}
const { values, config: { configurable } } = await graph.getState(config);
console.log(values.messages.length, configurable.checkpoint_id);
