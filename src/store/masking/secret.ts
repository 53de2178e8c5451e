/** What is to be kept out of everything that people, databases and colleagues read. */

export const SECRET_KINDS = ['api key', 'token', 'password', 'cookie', 'private key', 'signature', 'secret'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

export interface Secret {
  readonly value: string;
  readonly kind: SecretKind;
}

/** A secret with what stands in for it: as many characters, as many bytes, in every encoding. */
export interface StandIn extends Secret {
  readonly standIn: string;
}
