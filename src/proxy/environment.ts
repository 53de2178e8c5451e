/** What a program is told so that it goes through the proxy. */
import { writeFileSync } from 'node:fs';
import { type Authority, BUNDLE_VARIABLES, trustedBefore } from './authority.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @param url of the proxy @param folder that is there as long as the program @returns the environment with the proxy in it */
export function proxiedEnvironment(env: Environment, { url, authority, folder }: { readonly url: string; readonly authority: Authority; readonly folder: string }): Environment {
  const bundle = `${folder}/trusted.pem`;
  // What goes past the proxy is trusted as before.
  writeFileSync(bundle, [authority.certificate.trim(), ...trustedBefore(env)].join('\n') + '\n');
  return {
    ...env,
    http_proxy: url, HTTP_PROXY: url, https_proxy: url, HTTPS_PROXY: url, no_proxy: '', NO_PROXY: '',
    ...Object.fromEntries(BUNDLE_VARIABLES.map((name) => [name, bundle])),
    REPLAY_HARNESS_PROXY: url,
  };
}
