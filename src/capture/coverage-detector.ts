/**
 * Looks, now and then, at what keeps the event loop busy, and names every sort of resource that no boundary owns. It finds
 * what the interception surface forgot; a look costs some microseconds, so the intervals double.
 */

/** Resources whose deliveries a boundary records, or the harness's own. */
const OWNED: ReadonlySet<string> = new Set([
  'Immediate', 'Timeout', 'TTYWrap', 'PipeWrap', 'TCPSocketWrap', 'TCPServerWrap', 'PipeServerWrap', 'TLSWrap', 'ConnectWrap', 'TCPConnectWrap', 'PipeConnectWrap', 'WriteWrap', 'LibuvWriteWrap', 'SimpleWriteWrap', 'ShutdownWrap', 'LibuvShutdownWrap', 'SimpleShutdownWrap', 'FSReqCallback', 'FSReqPromise',
  'FileHandleCloseReq', 'FileHandleReadWrap', 'CloseReq', 'GetAddrInfoReqWrap', 'GetNameInfoReqWrap', 'QueryReqWrap', 'ZlibStream', 'BrotliEncoder', 'BrotliDecoder', 'ZstdStream', 'RandomBytesRequest',
  'RandomPrimeRequest', 'CheckPrimeRequest', 'PBKDF2Request', 'ScryptRequest', 'Argon2Request', 'HKDFRequest', 'HashRequest', 'KeyGenRequest', 'KeyPairGenRequest', 'SignRequest', 'VerifyRequest',
  'CipherRequest', 'DeriveBitsRequest', 'KeyExportRequest', 'SignalWrap', 'ProcessWrap', 'UDPWrap', 'UDPSendWrap', 'SendWrap',
]);

/** Resources that are named where they are made: not again. */
const NAMED: ReadonlySet<string> = new Set(['FSEventWrap', 'StatWatcher', 'MessagePort', 'Worker']);

const activeResources: () => string[] = process.getActiveResourcesInfo.bind(process);

export class CoverageDetector {
  readonly #report: (name: string) => void;
  #events = 0;
  #next = 1;

  constructor(report: (name: string) => void) {
    this.#report = report;
  }

  /** Called once per delivery. */
  tick(): void {
    if (++this.#events < this.#next) return;
    this.#next = this.#events * 2;
    this.look();
  }

  look(): void {
    for (const type of activeResources()) {
      if (!OWNED.has(type) && !NAMED.has(type)) this.#report(`an asynchronous resource (${type})`);
    }
  }
}
