// A small business API for the sample agents' tools.
import { alphanumeric, integer } from './random.mjs';

/** @type {Record<string, { customer: string, item: string, status: string, total: number }>} */
const ORDERS = {
  'A-7001': { customer: 'Ana Müller', item: 'desk lamp', status: 'delivered', total: 49.9 },
  'A-7002': { customer: 'Bruno Keller', item: 'office chair', status: 'in transit', total: 329 },
  'A-7003': { customer: 'Chloé Martin', item: 'coffee grinder', status: 'delivered', total: 89.5 },
  'A-7004': { customer: 'Dario Rossi', item: 'monitor arm', status: 'lost', total: 119 },
};

/**
 * @param {string} method
 * @param {string} path
 * @param {import('./random.mjs').Random} random
 * @returns {{ status: number, body: object } | undefined} undefined when it is not this API's path
 */
export function answerOrders(method, path, random) {
  const [, id, action] = /^\/orders\/([^/]+)(?:\/(refund))?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const order = ORDERS[id];
  if (!order) return { status: 404, body: { error: `order ${id} not found` } };
  if (method === 'GET' && !action) {
    return { status: 200, body: { id, ...order, currency: 'EUR', daysInTransit: integer(random, 1, 9) } };
  }
  if (method === 'POST' && action) {
    const refund = `re_${alphanumeric(random, 14)}`;
    return { status: 201, body: { refund, order: id, amount: order.total, currency: 'EUR' } };
  }
  return { status: 405, body: { error: `${method} is not allowed here` } };
}
