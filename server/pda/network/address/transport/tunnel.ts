import type { PdaCertificate } from '../../../../wire/exposure.ts';

/** State of a tunnel. Times are Unix milliseconds. */
export type TunnelStatus = {
  /** `refused`: the other end does not give this PDA the name. `failed`: something on this machine is in the way. */
  phase: 'connecting' | 'up' | 'refused' | 'failed';
  problem: string | null;
  /** Attempts since it was up last. */
  tries: number;
  nextTry: number | null;
  /** Scheme and host by which visitors come, where only the server knows it. */
  address?: string | undefined;
  /** Undefined where TLS does not end in this PDA. */
  certificate?: PdaCertificate | undefined;
};

/**
 * One way of being reached from outside, for as long as it is wanted: a name at our relay, an address of the owner's own, or a name at a localtunnel
 * server. Without a public address there is none.
 */
export type Tunnel = {
  /** Opens it; once it was closed, again. Resolves when it has begun: `status` tells what comes of it. */
  open(): Promise<void>;
  /** Lets nobody in any more. A relay is told within so many milliseconds at most. It can be opened again. */
  close(ms: number): Promise<void>;
  status(): TunnelStatus;
  /** Connects anew: connections that look open may be dead, e.g. after sleep or on another network. */
  wake(): void;
  /** Closes it for good. */
  dispose(ms: number): Promise<void>;
  /** SHA-256 (base64) of the public key that visitors must be shown; undefined where TLS does not end in this PDA. */
  spki?: (() => string | undefined) | undefined;
  /** Terms of the certificate authority. */
  terms?: () => Promise<string | null>;
};
