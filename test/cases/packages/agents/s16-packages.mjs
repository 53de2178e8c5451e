// Packages that module hooks and interceptors have broken: what they export, and a call with each.
import Anthropic, * as anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import * as langgraph from '@langchain/langgraph';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as mcp from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as ai from 'ai';
import OpenAI, * as openai from 'openai';

for (const [name, module] of Object.entries({ openai, anthropic, ai, langgraph, mcp })) console.log(name, Object.keys(module).length);

const content = 'Where is my order A-1042?';
const messages = [{ role: 'user', content }];
const baseURL = `${process.env.MODEL_URL}/v1`;
const retry = { apiKey: 'sk-test-0000', maxRetries: 8 };
console.log('openai:', (await new OpenAI({ ...retry, baseURL }).chat.completions.create({ model: 'gpt-4o-mini', messages })).choices[0].message.content);
console.log('anthropic:', (await new Anthropic({ ...retry, baseURL: process.env.MODEL_URL }).messages.create({ model: 'claude-sonnet-4-5', max_tokens: 100, messages })).content[0].text);
console.log('ai:', (await ai.generateText({ model: createOpenAI({ apiKey: 'sk-test-0000', baseURL }).chat('gpt-4o-mini'), messages, maxRetries: 8 })).text);
const State = langgraph.Annotation.Root({ id: langgraph.Annotation() });
const look = async () => ({ id: (await (await fetch(`${process.env.SERVER_URL}/json?by=langgraph`)).json()).id });
console.log('langgraph:', (await new langgraph.StateGraph(State).addNode('look', look).addEdge(langgraph.START, 'look').compile().invoke({})).id);
// The server speaks no MCP: it is asked, and what comes back is an error.
const transport = new mcp.StreamableHTTPClientTransport(new URL(`${process.env.SERVER_URL}/json?by=mcp`));
await new Client({ name: 'agent', version: '1.0.0' }).connect(transport).then(() => console.log('mcp: connected'), (error) => console.log('mcp:', error.name));
process.exit(0);
