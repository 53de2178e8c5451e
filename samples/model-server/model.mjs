// What the stand-in model "decides". It knows neither provider's wire format.
import { pick } from './random.mjs';

/**
 * @typedef {{ name: string, arguments: Record<string, unknown> }} ToolCall
 * @typedef {{ text?: string, toolCalls?: ToolCall[] }} Answer
 * @typedef {{ name: string, description: string, schema: Schema }} Tool
 * @typedef {object} Prompt a request in provider-neutral form
 * @property {string} userText the last user message
 * @property {string[]} toolResults what the tools returned, when that is what the request ends with
 * @property {Tool[]} tools the tools that the model may call
 * @property {boolean} toolRequired
 * @property {boolean} parallelTools
 * @typedef {object} Schema the part of JSON Schema that tool parameters are written in
 * @property {string | string[]} [type]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {string} [pattern]
 * @property {Schema} [items]
 * @property {Schema[]} [anyOf]
 * @typedef {{ strings: string[], numbers: number[] }} Material what a prompt offers as argument values
 */

const OPENINGS = ['Sure —', 'Of course:', 'Here’s what I found:', 'Voilà:', 'Right,', 'Good question —', 'Happy to help 🙂:'];
const CLOSINGS = [
  'Anything else?',
  'I’ve double-checked that.',
  'That’s all there is to it ✓',
  'Let me know if it isn’t clear.',
  'Naïve guesses aside, I’m sure.',
  '',
];
const MAX_QUOTE = 400;
const MAX_PARALLEL_CALLS = 4;
const MIN_WORD_LENGTH = 4;

/**
 * @param {Prompt} prompt
 * @param {import('./random.mjs').Random} random
 * @returns {Answer}
 */
export function decide(prompt, random) {
  if (prompt.toolResults.length > 0) return { text: quoteResults(prompt.toolResults, random) };
  const tools = chooseTools(prompt);
  if (tools.length === 0) return { text: echo(prompt.userText, random) };
  return { toolCalls: callTools(tools, prompt) };
}

/** @param {string[]} results @param {import('./random.mjs').Random} random */
function quoteResults(results, random) {
  const quotes = results.map((result) => `“${result.slice(0, MAX_QUOTE)}”`);
  return sentence(random, `the result is ${quotes.join(' and ')}.`);
}

/** @param {string} text @param {import('./random.mjs').Random} random */
function echo(text, random) {
  const topics = salientTerms(text).slice(0, 3);
  const topic = topics.length > 0 ? topics.join(', ') : text.trim().split(/\s+/).slice(0, 8).join(' ');
  return sentence(random, `this is about ${topic}.`);
}

/** @param {import('./random.mjs').Random} random @param {string} core */
function sentence(random, core) {
  return [pick(random, OPENINGS), core, pick(random, CLOSINGS)].filter(Boolean).join(' ');
}

/** @param {Prompt} prompt @returns {Tool[]} */
function chooseTools({ tools, userText, toolRequired, parallelTools }) {
  const mentioned = new Set(userText.split(/[^\w-]+/));
  const named = tools.filter((tool) => mentioned.has(tool.name));
  if (named.length > 0) return parallelTools ? named : named.slice(0, 1);
  const best = mostRelevant(tools, userText);
  if (best) return [best];
  return toolRequired ? tools.slice(0, 1) : [];
}

/** @param {Tool[]} tools @param {string} text */
function mostRelevant(tools, text) {
  const spoken = words(text);
  let best;
  let bestScore = 0;
  for (const tool of tools) {
    const score = 3 * overlap(words(tool.name), spoken) + overlap(words(tool.description), spoken);
    if (score > bestScore) [best, bestScore] = [tool, score];
  }
  return best;
}

/** @param {Set<string>} some @param {Set<string>} others */
function overlap(some, others) {
  return [...some].filter((word) => others.has(word)).length;
}

/** @param {string} text */
function words(text) {
  const parts = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return new Set(parts.filter((word) => word.length >= MIN_WORD_LENGTH).map(stem));
}

/** @param {string} word */
function stem(word) {
  return word.replace(/(?:ed|ing|s)$/, '').slice(0, 6);
}

/** @param {Tool[]} tools at least one @param {Prompt} prompt @returns {ToolCall[]} */
function callTools(tools, prompt) {
  const quoted = quotedTerms(prompt.userText);
  const tool = /** @type {Tool} */ (tools[0]);
  const onePerTerm = tools.length === 1 && prompt.parallelTools && quoted.length > 1 && takesOneString(tool.schema);
  if (!onePerTerm) return tools.map((each) => callTool(each, material(prompt.userText)));
  return quoted.slice(0, MAX_PARALLEL_CALLS).map((term) => callTool(tool, { ...material(prompt.userText), strings: [term] }));
}

/** @param {Schema} schema */
function takesOneString(schema) {
  const strings = requiredProperties(schema).filter(([, property]) => typeOf(property) === 'string' && !property.enum);
  return strings.length === 1;
}

/** @param {Tool} tool @param {Material} offered @returns {ToolCall} */
function callTool(tool, offered) {
  return { name: tool.name, arguments: objectFor(tool.schema, offered) };
}

/** @param {string} text @returns {Material} */
function material(text) {
  const numbers = text.match(/(?<![\w-])-?\d+(?:\.\d+)?(?![\w-])/g) ?? [];
  const longWords = text.match(/\p{L}{4,}/gu) ?? [];
  const strings = salientTerms(text);
  return { strings: strings.length > 0 ? strings : longWords.slice(-1), numbers: numbers.map(Number) };
}

/** @param {Schema} schema @param {Material} offered @returns {Record<string, unknown>} */
function objectFor(schema, offered) {
  return Object.fromEntries(requiredProperties(schema).map(([name, property]) => [name, valueFor(property, offered)]));
}

/** @param {Schema} schema @returns {[string, Schema][]} */
function requiredProperties(schema) {
  const properties = Object.entries(schema.properties ?? {});
  return schema.required ? properties.filter(([name]) => schema.required?.includes(name)) : properties;
}

/** @param {Schema} schema @param {Material} offered @returns {unknown} */
function valueFor(schema, offered) {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return enumValueFor(schema.enum, offered);
  if (schema.anyOf?.[0]) return valueFor(schema.anyOf[0], offered);
  switch (typeOf(schema)) {
    case 'object':
      return objectFor(schema, offered);
    case 'array':
      return [valueFor(schema.items ?? {}, offered)];
    case 'integer':
      return Math.round(takeNumber(offered));
    case 'number':
      return takeNumber(offered);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return takeString(offered, schema.pattern);
  }
}

/** @param {Schema} schema */
function typeOf(schema) {
  return Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? (schema.properties ? 'object' : undefined));
}

/** @param {unknown[]} values @param {Material} offered */
function enumValueFor(values, offered) {
  const mentioned = new Set(offered.strings.map((term) => term.toLowerCase()));
  return values.find((value) => mentioned.has(String(value).toLowerCase())) ?? values[0];
}

/** @param {Material} offered */
function takeNumber(offered) {
  return offered.numbers.shift() ?? 1;
}

/**
 * The last term is kept, so that a tool with more strings than the prompt names still gets one.
 * @param {Material} offered @param {string | undefined} pattern
 */
function takeString(offered, pattern) {
  const fits = pattern === undefined ? () => true : (/** @type {string} */ term) => new RegExp(pattern, 'u').test(term);
  const index = Math.max(0, offered.strings.findIndex(fits));
  const term = offered.strings[index] ?? 'unknown';
  if (offered.strings.length > 1) offered.strings.splice(index, 1);
  return term;
}

/** @param {string} text quoted terms first, then identifiers such as A-7001, then names */
function salientTerms(text) {
  const identifiers = text.match(/(?<![\w-])\p{Lu}[\p{Lu}\d]*-?\d[\w-]*/gu) ?? [];
  return [...new Set([...quotedTerms(text), ...identifiers, ...capitalisedTerms(text)])];
}

/** @param {string} text */
function quotedTerms(text) {
  const quotes = text.matchAll(/"([^"\n]{1,80})"|“([^”\n]{1,80})”|`([^`\n]{1,80})`|(?<!\w)'([^'\n]{1,80})'(?!\w)/g);
  return [...quotes].map((match) => match.slice(1).find((group) => group !== undefined) ?? '');
}

/** @param {string} text the first word of a sentence is capitalised anyway and says nothing */
function capitalisedTerms(text) {
  return text.match(/(?<=[\p{L}\p{N},:;)] )\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*/gu) ?? [];
}
