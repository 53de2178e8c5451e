/** A recorded run with secrets in places beside those of `planted-run.ts`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import zlib from 'node:zlib';
import { generateKeyPairSync } from 'node:crypto';
import type { Planted } from './planted-secrets.ts';
import { plantedServer, type PlantedWorld } from './planted-run.ts';
import type { Workspace } from './workspace.ts';

export const FURTHER_PLANTS = 'masking/further-plants.mjs';

const pem = (): string => String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' })).trim();

/** As many secrets for each call, none of which was ever in use. */
export const FURTHER: Planted = {
  azureKey: '5c1f0a9b7e3d4c2f8a6b1d0e9f8c7b6a', privateToken: 'prv-T0k3n-Wq8Er7Ty6Ui5', railsToken: 'rA1ls-T0ken-Zx9Cv8Bn7Mq', sharedSignature: 'Kd7/Ls9+Qw4Er7Ty1Ui6Op3As5Df0Gh8Jk2Zx4Cv6B=',
  digestResponse: '6629fae49393a05397450978507c4ef1', quotedCookie: 'qC00kie-Hj5Kl6Zx7Cv8', optionPassword: 'opt10n-Pa55-Rt6Yu7Io8', proxyBasic: 'pr0xy-B4sic-Vb5Nm6Qw7', amazonToken: 'FwoGZXIvYXdzEBYaDK7/Zx8Cv+6Bn4Mq2We0Rt==',
  amazonSignature: 'b9f7a3c1d5e8024679acebdf13579bdf02468ace13579bdfeca86420fdb97531', fragmentToken: 'frag-T0k-As3Df4Gh5Jk6', secondCookie: 's3cond.C00kie.Po9Iu8Yt7', refusedUrl: 'r3fused-Url-Lk4Jh3Gf2',
  multipart: 'multip4rt-S3cret-Mn1Bv2Cx3', gzippedRequest: 'gz1p-Request-8Uy7Tr6Ew5', brotliRequest: 'br0tli-Request-2Ws3Ed4Rf', lines: 'l1nes-T0ken-Zq1Xw2Ce3', deepPassword: 'd33p-P"ass\\word-Kj8Hg7', formJson: 'f0rm-Js0n-Tg5Yh6Uj7Ik8',
  toolArguments: 't00l-Arg-Qa1Ws2Ed3Rf4', packedEvents: 'p4cked-Ev3nts-Ol9Ik8Uj7',
  rawAt: 'r4w@At-Passw0rd', quotedVariable: 'smtp-Pa55-Xc4Vb5Nm6', headerArgument: 'hdr-Arg-Df6Gh7Jk8Lp9',
  commented: 'c0mmented-Bn7Mq8We9Rt0', besideKey: 'Zx1Cv2Bn3Mq4We5Rt6Yu7', envKey: pem(), wholeFile: 'wh0le-F1le-Po8Iu7Yt6Re5', yaml: 'y4ml-Pa55-Gf3Ds2Ap1Oi0', serviceKey: pem(), windowsKey: pem(),
  childInput: 'ch1ld-Inp-Ui8Yt7Re6Wq5', shellHeader: 'sh3ll-Hdr-As9Df8Gh7Jk6', shellLogin: 'sh3ll-L0gin-Zc1Xv2Bn3', threadPassword: 'thr34d-Pa55-Lo9Ki8Ju7',
};

/** Starts the server, and writes the files that the agent reads. */
export async function furtherWorld(workspace: Workspace): Promise<PlantedWorld> {
  const { url, stop } = await plantedServer(answer);
  const secret = (name: string): string => FURTHER[name] as string;
  workspace.write('planted.mjs', `export default ${JSON.stringify(FURTHER)};\n`);
  workspace.write('.env', `MAIL_TOKEN=${secret('commented')} # rotated in May\nPARTNER=${secret('besideKey')}\nSIGNING="${secret('envKey')}"\n`);
  workspace.write('token', secret('wholeFile'));
  workspace.write('secrets.yaml', `database:\n  user: ana\n  password: '${secret('yaml')}'\n`);
  workspace.write('service-account.json', JSON.stringify({ type: 'service_account', private_key: `${secret('serviceKey')}\n` }));
  workspace.write('windows.pem', `${secret('windowsKey').replaceAll('\n', '\r\n')}\r\n`);
  const env = {
    SERVER_URL: url,
    QUEUE_URL: `amqp://app:${secret('rawAt')}@queue.example.org/jobs`,
    SMTP_CONFIG: JSON.stringify({ host: 'mail.example.org', auth: { user: 'ana', pass: secret('quotedVariable') } }),
    NO_PROXY: '*',
  };
  return { env, args: [`--header=X-Api-Key: ${secret('headerArgument')}`], stop };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const secret = (name: string): string => FURTHER[name] as string;
  request.resume();
  request.once('end', () => {
    if (request.url === '/moved') {
      response.writeHead(302, { location: `/done#access_token=${secret('fragmentToken')}&token_type=bearer`, 'set-cookie': ['lang=en; Path=/', `login=${secret('secondCookie')}; HttpOnly; Secure`] }).end();
    } else if (request.url === '/v1/chat/completions') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const args = JSON.stringify({ user: 'ana', password: secret('toolArguments') });
      const event = (delta: object): void => void response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
      event({ role: 'assistant', tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'log_in', arguments: '' } }] });
      for (const piece of args.match(/.{1,7}/g) ?? []) event({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
      response.end('data: [DONE]\n\n');
    } else if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(zlib.gzipSync(`event: login\ndata: ${JSON.stringify({ session_token: secret('packedEvents') })}\n\n`));
    } else response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
  });
}
