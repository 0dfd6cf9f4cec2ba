import type { SecureContext } from 'node:tls';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Exposure, ExposureChange, PdaCertificate } from '../../../wire/exposure.ts';

/** The certificate of the public address. */
export type Certificates = {
  /** Returns the context to present to clients that request this name. */
  context(serverName: string): SecureContext | undefined;
  /** Returns the context to present under acme-tls/1 while a challenge is in progress. */
  challengeContext(serverName: string): SecureContext | undefined;
  /** Returns the SHA-256 hash (base64) of the presented key's SubjectPublicKeyInfo. */
  spki(): string | undefined;
  /** Returns the certificate as the dashboard shows it. */
  view(): PdaCertificate;
  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Loads the stored certificate. Requests start with the first `wake`. @throws file system errors */
  start(): void;
  /** Starts a due attempt, unless the authority demands a pause. Called when the tunnel is up. */
  wake(): void;
  /** Returns the address of the authority's terms; null if it has none. @throws Failure unavailable */
  terms(): Promise<string | null>;
  close(): Promise<void>;
};

/** Creates the certificate management of one host. */
export type CreateCertificates = (parts: {
  folder: string;
  host: string;
  /** ACME directory of the certificate authority. */
  directory: string;
  clock: Clock;
  log: Log;
  trust?: string;
  /** Returns true if the owner agreed to the terms of the authority. */
  hasAgreed: () => boolean;
  /** Returns true if the authority can reach this PDA now. */
  isUp?: () => boolean;
}) => Certificates;

/** The network address from which the owner changes a setting. */
export type ChangeSource = { address: string };

/** State and settings of the public address. */
export type ExposureService = {
  /** Returns settings and state. @param session current session of the owner, which is not counted */
  view(session: string): Exposure;
  /** Returns state and address only. */
  summary(): Pick<Exposure, 'state' | 'address'> & { readableBy: string | null };
  /** Returns the number of proxies that append to `x-forwarded-for` before a request reaches the public port. */
  proxies(): number;
  /**
   * Refuses a password sign-in at this host[:port] if others could read the password and the owner has not allowed it.
   * @throws Failure forbidden
   */
  refusePassword(host: string): void;
  /** Retries immediately. Called after this computer slept or changed its network. */
  wake(): void;
  /** Changes how this PDA is reached from outside. @throws Failure invalid_input | wrong_state */
  change(change: ExposureChange, source: ChangeSource): Promise<void>;
  /**
   * Closes the public address immediately, even if the change cannot be stored. The view then contains the result of a
   * probe.
   */
  goDark(source: ChangeSource): Promise<void>;
  /** Opens the public address again. */
  goLight(source: ChangeSource): Promise<void>;
  /** Probes the address now. @throws Failure wrong_state if no public address is configured */
  probe(): Promise<void>;
};
