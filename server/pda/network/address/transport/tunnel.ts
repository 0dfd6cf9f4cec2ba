import type { Socket } from 'node:net';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import type { PdaCertificate } from '../../../../wire/exposure.ts';
import type { AccessMode } from '../settings.ts';

/** Times are Unix milliseconds. */
export type TunnelStatus = {
  /**
   * `refused`: the server does not assign the name or serves it only without TLS, or a copy of this PDA has claimed it.
   * `failed`: a problem on this computer.
   */
  phase: 'connecting' | 'up' | 'refused' | 'failed';
  problem: string | null;
  /** Attempts since the last connection. */
  attempts: number;
  nextAttempt: number | null;
  /** Public scheme and host, if the server assigns them. */
  address?: string | undefined;
  /** Undefined if this PDA does not terminate TLS. */
  certificate?: PdaCertificate | undefined;
};

export type Tunnel = {
  /** Starts to open the tunnel. Can be called again after `close`. */
  open(): Promise<void>;
  /** Closes the tunnel until `open` is called. @param ms timeout for notifying the relay */
  close(ms: number): Promise<void>;
  status(): TunnelStatus;
  /** Reconnects, because connections may be dead without notice, for example after sleep or a network change. */
  wake(): void;
  /** Closes the tunnel permanently. @param ms timeout for notifying the relay */
  dispose(ms: number): Promise<void>;
  /** Returns the SHA-256 hash (base64) of the public key that clients must see. Undefined without TLS at this PDA. */
  spki?: (() => string | undefined) | undefined;
  terms?: () => Promise<string | null>;
};

export type TunnelOptions = {
  mode: Exclude<AccessMode, { way: 'none' }>;
  name: string;
  /** Scheme and host, if they are known before the tunnel opens. */
  url: string | undefined;
  keys: () => readonly SigningKey[];
  acceptConnection: (socket: Socket, address: string) => void;
  onChange: () => void;
};
