/** Name resolution, at the c-ares binding: lookup, lookupService and every Resolver query. */
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { apply, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

const callComplete = calledAs('oncomplete');

interface Request {
  oncomplete: AnyFunction;
}

export function installDns(session: Session): void {
  session.owns('DNSCHANNEL', 'GETADDRINFOREQWRAP', 'GETNAMEINFOREQWRAP', 'QUERYWRAP');
  const cares = binding('cares_wrap');
  for (const name of ['getaddrinfo', 'getnameinfo']) patchMethod(cares, name, query(session, name));
  const channel = (cares['ChannelWrap'] as { prototype: object }).prototype;
  for (const name of Object.getOwnPropertyNames(channel)) {
    if (name.startsWith('query') || name === 'getHostByAddr') patchMethod(channel, name, query(session, name));
  }
  patchMethod(channel, 'getServers', (native) => function getServers(this: object): unknown {
    return readValue(session, 'os-value', '["dns.getServers"]', getServers, () => apply(native, this, []) as unknown);
  });
}

const query = (session: Session, name: string) => (native: AnyFunction): AnyFunction =>
  function queryNames(this: object, request: Request, ...args: unknown[]): unknown {
    const complete = request.oncomplete;
    const operation = session.operation('dns', jsonStringify([name, ...args]), (_, _status, data) => {
      session.retire(operation);
      callComplete(complete, request, (decodeOutcome(data) as { result: unknown[] }).result);
    });
    request.oncomplete = function (this: object, ...results: unknown[]): unknown {
      session.arrived(operation, 'completed', typeof results[0] === 'number' ? results[0] : 0, encodeOutcome({ result: results }));
      return callComplete(complete, this, results);
    };
    return readValue(session, 'handle-value', `["${name}"]`, queryNames, () => apply(native, this, [request, ...args]));
  };
