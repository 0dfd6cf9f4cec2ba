import type { SecureContext } from 'node:tls';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Exposure, ExposureChange, PdaCertificate } from '../../../wire/exposure.ts';

/** Obtains, renews and provides the certificate of the public address. */
export type CertificateManager = {
  context(serverName: string): SecureContext | undefined;
  /** Returns the TLS context for acme-tls/1 while a challenge is in progress; otherwise undefined. */
  challengeContext(serverName: string): SecureContext | undefined;
  /** Returns the SHA-256 hash (base64) of the presented key's SubjectPublicKeyInfo; undefined without a certificate. */
  spki(): string | undefined;
  view(): PdaCertificate;
  onChange(listener: () => void): () => void;
  /** Loads the stored certificate. No certificate is requested before the first `wake`. @throws file system errors */
  start(): void;
  /** Shortens the back-off after a network failure. Must be called whenever the tunnel has connected. */
  wake(): void;
  /** Returns the URL of the authority's terms; null if it has none. @throws Failure unavailable */
  terms(): Promise<string | null>;
  close(): Promise<void>;
};

export type CreateCertificateManager = (parts: {
  folder: string;
  host: string;
  /** URL of the ACME directory of the certificate authority. */
  directory: string;
  clock: Clock;
  log: Log;
  /** PEM certificates that are trusted in addition to the public authorities. */
  trust?: string;
  hasAgreed: () => boolean;
  isReachable?: () => boolean;
}) => CertificateManager;

/** Network address of the owner who changes a setting. */
export type ChangeSource = { address: string };

export type ExposureService = {
  /** @param session the owner's current session, which `open.sessions` does not include */
  view(session: string): Exposure;
  /** `readableBy`: host that can read all traffic; null if there is none. */
  summary(): Pick<Exposure, 'state' | 'address'> & { readableBy: string | null };
  /** Returns the default number of trusted proxies that append to `x-forwarded-for` in front of the public port. */
  proxyCount(): number;
  /**
   * Refuses a password if others could read it at this host[:port] and the owner has not allowed it.
   * @throws Failure forbidden
   */
  requirePasswordAllowed(host: string): void;
  /** Discards the last probe and reconnects the tunnel. Called after sleep, or a change of the network or the clock. */
  wake(): void;
  /** @throws Failure invalid_input | wrong_state | out_of_disk */
  change(change: ExposureChange, source: ChangeSource): Promise<void>;
  /**
   * Closes the public address immediately and probes it.
   * @throws Failure out_of_disk if the change cannot be stored; the address is closed nevertheless
   */
  goDark(source: ChangeSource): Promise<void>;
  /** Opens the public address again. @throws Failure out_of_disk */
  reopen(source: ChangeSource): Promise<void>;
  /** Probes the address if its tunnel is ready within a few seconds. @throws Failure wrong_state without an address */
  probe(): Promise<void>;
};
