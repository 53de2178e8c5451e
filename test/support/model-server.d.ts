/** The part of the sample model server that tests use. */
declare module '*/samples/model-server/server.mjs' {
  export interface ReceivedRequest {
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
  }
  export interface ModelServer {
    readonly url: string;
    readonly port: number;
    readonly requests: readonly ReceivedRequest[];
    close(): Promise<void>;
  }
  export function startModelServer(options?: { readonly port?: number; readonly latencyMs?: number; readonly rateLimitRatio?: number; readonly seed?: string }): Promise<ModelServer>;
}
