import { Failure } from '../../../platform/failure.ts';
import { localtunnelProblem, intermediaryHost, tunnelProblem, tunnelUrl } from '../../../platform/tunnel/address.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { ExposureChange } from '../../../wire/exposure.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { ExposureRow, ExposureStore } from './store.ts';

export type AccessMode =
  | { way: 'none' }
  | { way: 'own'; publicUrl: string }
  | { way: 'tunnel'; relay: string; domain: string; agreed: boolean; authority?: string | undefined }
  | { way: 'localtunnel'; host: string; subdomain: string; passwordSignIn: boolean };

type ConfiguredTunnel =
  | { way?: 'relay' | undefined; relay: string; domain: string; authority?: string | undefined }
  | { way: 'localtunnel'; host: string; subdomain: string; passwordSignIn: boolean };

/** Settings in config.json or on the command line, which override the owner's choice. */
export type ConfiguredAccessMode = {
  publicUrl?: string | undefined;
  tunnel?: ConfiguredTunnel | undefined;
};

export type ExposureSettings = {
  isFixed: boolean;
  mode(): AccessMode;
  /** Returns Unix milliseconds; null if the PDA is not dark. */
  darkSince(): number | null;
  /**
   * Stores the owner's choice.
   * @param extraWrites writes in the same transaction
   * @throws Failure invalid_input | wrong_state | out_of_disk
   */
  change(change: ExposureChange, extraWrites: (tx: Transaction) => void): Promise<void>;
  /**
   * Stores when the PDA went dark (Unix milliseconds) or, with null, that it is not dark. Stores nothing if the PDA is
   * already in that state. Concurrent calls run in order.
   * @throws Failure out_of_disk
   */
  setDark(since: number | null, extraWrites: (tx: Transaction) => void): Promise<void>;
};

const configuredModeOf = ({ publicUrl, tunnel }: ConfiguredAccessMode): AccessMode | undefined => {
  if (publicUrl !== undefined) return { way: 'own', publicUrl };
  if (tunnel?.way !== 'localtunnel')
    return tunnel === undefined ? undefined : { ...tunnel, way: 'tunnel', agreed: true };
  const { way, host, subdomain, passwordSignIn } = tunnel;
  return { way, host: new URL(host).origin, subdomain, passwordSignIn };
};

const modeOf = (row: ExposureRow): AccessMode => {
  const { way, relay, domain, agreed, public_url, host, subdomain } = row;
  if (way === 'own' && public_url !== null) return { way, publicUrl: public_url };
  if (way === 'tunnel' && relay !== null && domain !== null) return { way, relay, domain, agreed: agreed === 1 };
  // The owner's acceptance is valid only for the host that it names.
  if (way === 'localtunnel' && host !== null && subdomain !== null && row.readable_by === intermediaryHost({ host }))
    return { way, host, subdomain, passwordSignIn: row.password_sign_in === 1 };
  return { way: 'none' };
};

/** Returns scheme and host of the public address; undefined if there is none, or a localtunnel server assigns it. */
export const publicUrlOf = (mode: AccessMode, name: string | undefined): string | undefined => {
  if (mode.way === 'own') return new URL(mode.publicUrl).origin;
  return mode.way === 'tunnel' && name !== undefined ? tunnelUrl(mode, name) : undefined;
};

const refuse = (path: string, problem: string): never => {
  throw new Failure('invalid_input', `The ${path} ${problem}. Nothing was changed.`, {
    details: [{ path: `body.${path}`, problem }],
  });
};

const rowOf = (change: ExposureChange): Omit<ExposureRow, 'dark'> => {
  const empty = {
    relay: null,
    domain: null,
    agreed: 0,
    public_url: null,
    host: null,
    subdomain: null,
    readable_by: null,
    password_sign_in: 0,
  };
  if (change.way === 'none') return { ...empty, way: 'none' };
  if (change.way === 'own') {
    const { origin, href, username, password } = new URL(change.publicUrl);
    if (username !== '' || password !== '') refuse('publicUrl', 'contains a user name or a password');
    if (href !== `${origin}/`) refuse('publicUrl', 'must contain only scheme, host and port');
    return { ...empty, way: 'own', public_url: origin };
  }
  if (change.way === 'localtunnel') {
    const { host, subdomain, readableBy, passwordSignIn } = change;
    const problem = localtunnelProblem({ host, subdomain });
    if (problem !== undefined) refuse(problem.key, problem.problem);
    if (readableBy !== intermediaryHost({ host }))
      refuse('readableBy', `does not name ${intermediaryHost({ host })}, which can read everything`);
    return {
      ...empty,
      way: 'localtunnel',
      host: new URL(host).origin,
      subdomain,
      readable_by: readableBy,
      password_sign_in: passwordSignIn ? 1 : 0,
    };
  }
  const tunnel = { relay: new URL(change.relay).href.replace(/\/$/u, ''), domain: change.domain.toLowerCase() };
  const problem = tunnelProblem(tunnel);
  if (problem !== undefined) refuse(problem.key, problem.problem);
  return { ...empty, way: 'tunnel', ...tunnel, agreed: change.agreed ? 1 : 0 };
};

export const createExposureSettings = (parts: {
  store: ExposureStore;
  writer: Writer;
  configured: ConfiguredAccessMode;
}): ExposureSettings => {
  const { store, writer } = parts;
  const configuredMode = configuredModeOf(parts.configured);
  let row = store.row();
  const runInOrder = createMutex();
  const set = async (change: Partial<ExposureRow>, extraWrites: (tx: Transaction) => void): Promise<void> => {
    row = await writer.write((tx) => {
      const newRow = { ...store.row(), ...change };
      store.set(tx, newRow);
      extraWrites(tx);
      return newRow;
    });
  };
  return {
    isFixed: configuredMode !== undefined,
    mode: () => configuredMode ?? modeOf(row),
    darkSince: () => row.dark,
    async change(change, extraWrites) {
      const newRow = rowOf(change);
      if (configuredMode !== undefined) {
        throw new Failure(
          'wrong_state',
          'The address is set in config.json or on the command line. Change it there. Nothing was changed.',
        );
      }
      await set(newRow, extraWrites);
    },
    setDark: (dark, extraWrites) =>
      runInOrder(async () => {
        if ((row.dark === null) !== (dark === null)) await set({ dark }, extraWrites);
      }),
  };
};
