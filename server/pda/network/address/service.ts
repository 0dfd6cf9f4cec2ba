import type { SecureContext } from 'node:tls';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Exposure, ExposureChange, PdaCertificate } from '../../../wire/exposure.ts';

/** Certificates of this PDA as the tunnel uses them. */
export type Certificates = {
  context(serverName: string): SecureContext | undefined;
  /** While an authority looks whether the name is ours: what is shown to it. */
  challengeContext(serverName: string): SecureContext | undefined;
  /** SHA-256 (base64) of the public key that is shown. */
  spki(): string | undefined;
  view(): PdaCertificate;
  onChange(listener: () => void): () => void;
  /** Asks for one when it is needed, and renews it in time. */
  start(): void;
  wake(): void;
  terms(): Promise<string | null>;
  close(): Promise<void>;
};

export type CreateCertificates = (parts: {
  folder: string;
  host: string;
  /** Of the authority (ACME). */
  directory: string;
  clock: Clock;
  log: Log;
  trust?: string;
  agreed: () => boolean;
  /** Whether the authority would find us now. */
  up?: () => boolean;
}) => Certificates;

/** Where the owner is when they change something. */
export type From = { address: string };

/** How this PDA is reached from outside, as the owner sees and settles it. */
export type ExposureService = {
  /** @param session the one that looks: it does not count */
  view(session: string): Exposure;
  /** The same in brief. */
  stand(): Pick<Exposure, 'state' | 'address'> & { readableBy: string | null };
  /** Proxies that append to `x-forwarded-for` before a request reaches the public port, as far as the way tells. */
  proxies(): number;
  /** @throws Failure forbidden when a password sent to this host[:port] could be read on the way, and the owner has not agreed to that */
  refusePassword(host: string): void;
  /** This computer slept, or its network is another one: what waits to try again tries now. */
  wake(): void;
  /** @throws Failure invalid_input | wrong_state */
  change(change: ExposureChange, from: From): Promise<void>;
  /** From now on nobody from outside is let in, also when it cannot be written down. What a try found is in the view. */
  goDark(from: From): Promise<void>;
  goLight(from: From): Promise<void>;
  /** Tries now. @throws Failure wrong_state when no address is wanted */
  probe(): Promise<void>;
};
