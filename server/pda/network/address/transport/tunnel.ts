import type { Socket } from 'node:net';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import type { PdaCertificate } from '../../../../wire/exposure.ts';
import type { AccessMode } from '../settings.ts';

/** State of a tunnel. Times are Unix milliseconds. */
export type TunnelStatus = {
  /** `refused`: the server does not assign the name to this PDA. `failed`: a problem on this computer. */
  phase: 'connecting' | 'up' | 'refused' | 'failed';
  problem: string | null;
  /** Attempts since the tunnel was last up. */
  tries: number;
  nextTry: number | null;
  /** Public scheme and host, if only the server knows them. */
  address?: string | undefined;
  /** Undefined where TLS does not end in this PDA. */
  certificate?: PdaCertificate | undefined;
};

/** Makes this PDA reachable from outside: through a relay, a localtunnel server or the owner's own address. */
export type Tunnel = {
  /** Starts to open the tunnel; can be called again after `close`. `status` reports the result. */
  open(): Promise<void>;
  /** Closes the tunnel to clients. It can be opened again. @param ms time limit for notifying the relay */
  close(ms: number): Promise<void>;
  status(): TunnelStatus;
  /** Reconnects. Connections may be dead without notice, for example after sleep or a network change. */
  wake(): void;
  /** Closes the tunnel permanently. */
  dispose(ms: number): Promise<void>;
  /** SHA-256 (base64) of the public key that clients must see; undefined if TLS does not end in this PDA. */
  spki?: (() => string | undefined) | undefined;
  /** Terms of the certificate authority. */
  terms?: () => Promise<string | null>;
};

/** Options of the tunnel of an access mode. */
export type TunnelOptions = {
  mode: Exclude<AccessMode, { way: 'none' }>;
  /** The owner's name. */
  name: string;
  /** Scheme and host, if they are known before the tunnel is open. */
  url: string | undefined;
  keys: () => readonly SigningKey[];
  /** Accepts a connection of a client. */
  take: (socket: Socket, address: string) => void;
  onChange: () => void;
};
