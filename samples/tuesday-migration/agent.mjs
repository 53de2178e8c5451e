// Tuesday's migration: a column gets a new name, its rows are filled in, then the old column is dropped.
// Three agents settle it over a message bus. The planner delegates, the schema agent does the work, and the
// reviewer says whether the old column may go.
import OpenAI from 'openai';
import { drained, send, subscribe } from './bus.mjs';

const MODEL = process.env.MIGRATION_MODEL ?? 'gpt-5.4-mini-2026-03-17';
const REPORTS = 2; // 'column renamed' and 'backfill ready'

const database = { table: 'orders', columns: ['id', 'cust_ref', 'total'], unfilled: 1204 };

function tool(name, description, ...parameters) {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties, required: parameters } } };
}

/** One agent: its role, its tools, and what it does with a message. */
class Agent {
  #openai = new OpenAI();

  constructor(name, role, tools) {
    Object.assign(this, { name, role, tools });
    subscribe(name, (subject) => this.handle(subject));
  }

  send(to, subject) {
    return send(this.name, to, subject);
  }

  /** The tool calls that the model answers with. */
  async decide(content) {
    const messages = [{ role: 'system', content: this.role }, { role: 'user', content }];
    const request = { model: MODEL, messages, tools: this.tools, tool_choice: 'required', stream_options: { include_usage: true } };
    const { choices: [{ message }] } = await this.#openai.chat.completions.stream(request).finalChatCompletion();
    return message.tool_calls.map(({ function: call }) => ({ name: call.name, input: JSON.parse(call.arguments) }));
  }
}

class Planner extends Agent {
  outcome;

  constructor() {
    super('planner', 'You are the planner of a database migration. You delegate its steps, in order.', [
      tool('delegate', 'Hands one step of the migration to the schema agent', 'step'),
    ]);
  }

  async start() {
    const steps = await this.decide('Delegate the two steps of the migration: "rename column" and "prepare backfill".');
    for (const { input } of steps) await this.send('schema', input.step);
  }

  async handle(subject) {
    this.outcome = subject;
  }
}

class Schema extends Agent {
  constructor() {
    super('schema', 'You are the schema agent. You change tables, one tool call for each step.', [
      tool('rename_column', 'Renames a column', 'from', 'table', 'to'),
      tool('write_backfill', 'Writes the batch job that fills in a column; it is not started', 'source', 'table', 'target'),
    ]);
  }

  async handle(subject) {
    const [call] = await this.decide(`Step: ${subject} of the migration, from \`cust_ref\` in \`orders\` to \`customer_id\`.`);
    await this[call.name](call.input);
  }

  async rename_column({ from, to }) {
    database.columns = database.columns.flatMap((column) => (column === from ? [from, to] : [column]));
    await this.send('reviewer', 'column renamed');
  }

  async write_backfill({ source, table, target }) {
    database.job = `UPDATE ${table} SET ${target} = ${source} WHERE ${target} IS NULL`;
    await this.send('reviewer', 'backfill ready');
  }
}

class Reviewer extends Agent {
  #state = 'nothing yet';
  #reports = 0;

  constructor() {
    super('reviewer', 'You are the reviewer. The old column may only go when nothing reads it and no row needs it.', [
      tool('approve', 'The column has been renamed and no work is left: drop the old one', 'reason'),
      tool('reject', 'A backfill is ready but has not run: keep the old one', 'reason'),
    ]);
  }

  async handle(subject) {
    this.#state = subject;
    if (++this.#reports < REPORTS) return;
    const [verdict] = await this.decide(`Both reports are in. State of the migration: "${this.#state}". May we go on?`);
    await this.send('planner', verdict.name === 'approve' ? 'approved' : 'rejected');
  }
}

const [planner] = [new Planner(), new Schema(), new Reviewer()];
await planner.start();
await drained();

console.log(`took ${Math.round(performance.now())} ms; columns: ${database.columns.join(', ')}`);
if (planner.outcome === 'approved') {
  console.log(`APPROVED too early: ${database.unfilled} rows of ${database.table} have no customer_id yet`);
  process.exitCode = 1;
} else {
  console.log('rejected: the backfill has to run first');
}
