/** Which server a request is meant for, by the way in which it came, and what that server gets of its head. */
import { type Header, headerValue } from '../steps/http1-message.ts';
import { REQUEST_LINE } from '../steps/http1-exchange.ts';

export interface Site {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

export interface Head {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** undefined: the program takes this port for a server, and does not say which. */
  readonly site: Site | undefined;
  readonly headers: readonly Header[];
  /** As the server gets it. */
  readonly bytes: Buffer;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** How a request came. */
export interface Way {
  /** Through a tunnel to there. */
  readonly tunnel: Site | undefined;
  /** The port that is listened on. */
  readonly port: number;
}

/** What is between the program and the proxy. */
const BETWEEN = /^proxy-/i;
const ABSOLUTE = /^(https?):\/\/([^/?#]+)(.*)$/i;
/** `/https://host/path`: a base URL that names the server. Some clients make one slash of two. */
const NAMED = /^\/(https?):\/{1,2}([^/?#]+)(.*)$/i;

export function headOf(startLine: string, headers: readonly Header[], way: Way): Head | Refusal {
  const [, method = '', target = '', version = '1.1'] = REQUEST_LINE.exec(startLine) ?? [];
  const absolute = way.tunnel ? null : ABSOLUTE.exec(target);
  const site = absolute && siteOf(absolute);
  if (absolute && !site) return { status: 400, message: `${absolute[2]} is no address of a server` };
  // A program that has both the proxy and a base URL at this port.
  const isOwn = site?.scheme === 'http' && isHere(site.host) && site.port === way.port;
  const own = isOwn ? (absolute?.[3] ?? '') : target;
  if (way.tunnel) return head({ method, target, version, headers, site: way.tunnel });
  if (site && !isOwn) return head({ method, target: absolute?.[3] ?? '', version, headers, site, host: absolute?.[2] });
  const problem = isOwn ? undefined : outsider(headers, way.port);
  if (problem) return { status: 403, message: problem };
  const named = NAMED.exec(own);
  const namedSite = named && siteOf(named);
  return namedSite ? head({ method, target: named[3] ?? '', version, headers, site: namedSite, host: named[2] }) : head({ method, target: own, version, headers, site: undefined });
}

/** `host:port` of a tunnel. */
export function authorityOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+):(\d{1,5})$/i.exec(text) ?? [];
  return host === '' || Number(port) > 65_535 ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

export function isHere(host: string): boolean {
  return host === '127.0.0.1' || host.toLowerCase() === 'localhost';
}

function siteOf([, scheme = '', authority = '']: RegExpExecArray): Site | undefined {
  const kind = scheme.toLowerCase() === 'https' ? 'https' : 'http';
  const own = authority.slice(authority.lastIndexOf('@') + 1);
  const found = authorityOf(/:\d+$/.test(own) ? own : `${own}:${kind === 'https' ? 443 : 80}`);
  return found && { scheme: kind, ...found };
}

function head({ method, target, version, headers, site, host }: { method: string; target: string; version: string; headers: readonly Header[]; site: Site | undefined; host?: string | undefined }): Head {
  const path = target.startsWith('/') || target === '*' ? target : `/${target}`;
  const kept = headers.filter(([name]) => !BETWEEN.test(name) && (host === undefined || name.toLowerCase() !== 'host'));
  const own: readonly Header[] = host === undefined ? kept : [['Host', host.slice(host.lastIndexOf('@') + 1)], ...kept];
  return { method, target: path, site, headers: own, bytes: Buffer.from(`${method} ${path} HTTP/${version}\r\n${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1') };
}

/** A page in a browser reaches this port, too: by a name that was made to lead here, or across sites. */
function outsider(headers: readonly Header[], port: number): string | undefined {
  const host = headerValue(headers, 'host') ?? '';
  const found = authorityOf(host);
  if (!found || !isHere(found.host) || found.port !== port) return `the request is for the host "${host}", and this is 127.0.0.1:${port}. Set it as HTTP proxy, or give its address as base URL`;
  const from = headerValue(headers, 'sec-fetch-site');
  return from === undefined || from === 'none' || from === 'same-origin' ? undefined : 'a page of another site is not answered';
}
