import { createHash } from 'node:crypto';

const LONGEST_STREAK = 2;

/**
 * Refuses a random share of the requests, but never three in a row of one conversation: a client
 * with the SDKs' default of two retries always gets through.
 * @param {number} ratio
 */
export function createRateLimiter(ratio) {
  /** @type {Map<string, number>} */
  const streaks = new Map();

  /**
   * @param {import('./server.mjs').ReceivedRequest} request
   * @param {import('./random.mjs').Random} random
   */
  return function isLimited(request, random) {
    const conversation = conversationKey(request);
    const streak = streaks.get(conversation) ?? 0;
    const limited = streak < LONGEST_STREAK && !isLastRetry(request) && random() < ratio;
    streaks.set(conversation, limited ? streak + 1 : 0);
    return limited;
  };
}

/**
 * Conversations that begin with the same words share a streak, so the SDKs' own count is asked too.
 * @param {import('./server.mjs').ReceivedRequest} request
 */
function isLastRetry({ headers }) {
  return Number(headers['x-stainless-retry-count'] ?? 0) >= LONGEST_STREAK;
}

/** @param {import('./server.mjs').ReceivedRequest} request */
function conversationKey({ path, body }) {
  const { system, messages } = /** @type {any} */ (body);
  const firstUser = messages.findIndex((/** @type {any} */ message) => message.role === 'user');
  const opening = JSON.stringify([path, system, messages.slice(0, firstUser + 1)]);
  return createHash('sha256').update(opening).digest('base64');
}
