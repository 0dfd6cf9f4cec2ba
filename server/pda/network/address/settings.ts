import { Failure } from '../../../platform/failure.ts';
import { localtunnelProblem, readerOf, tunnelProblem, tunnelUrl } from '../../../platform/tunnel/address.ts';
import { createTurns } from '../../../platform/async/mutex.ts';
import type { ExposureChange } from '../../../wire/exposure.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { ExposureRow, ExposureStore } from './store.ts';

/** How this PDA is to be reached. */
export type Way =
  | { way: 'none' }
  | { way: 'own'; publicUrl: string }
  | { way: 'tunnel'; relay: string; domain: string; agreed: boolean; authority?: string | undefined }
  | { way: 'localtunnel'; host: string; subdomain: string; passwordSignIn: boolean };

type FixedTunnel =
  | { way?: 'relay' | undefined; relay: string; domain: string; authority?: string | undefined }
  | { way: 'localtunnel'; host: string; subdomain: string; passwordSignIn: boolean };

/** What config.json or the command line says: it comes before what the owner chose. */
export type FixedWay = {
  publicUrl?: string | undefined;
  tunnel?: FixedTunnel | undefined;
};

export type ExposureSettings = {
  fixed: boolean;
  way(): Way;
  /** Unix milliseconds; null: not dark. */
  darkSince(): number | null;
  change(change: ExposureChange, also: (tx: Transaction) => void): Promise<void>;
  /** Nothing is written when it is so already. Wishes of one moment are kept in their order, also where an earlier write takes longer. */
  setDark(since: number | null, also: (tx: Transaction) => void): Promise<void>;
};

const fixedWay = ({ publicUrl, tunnel }: FixedWay): Way | undefined => {
  // The command line's comes before all else.
  if (publicUrl !== undefined) return { way: 'own', publicUrl };
  if (tunnel?.way !== 'localtunnel')
    return tunnel === undefined ? undefined : { ...tunnel, way: 'tunnel', agreed: true };
  const { way, host, subdomain, passwordSignIn } = tunnel;
  return { way, host: new URL(host).origin, subdomain, passwordSignIn };
};

const wayOf = (row: ExposureRow): Way => {
  const { way, relay, domain, agreed, public_url, host, subdomain } = row;
  if (way === 'own' && public_url !== null) return { way, publicUrl: public_url };
  if (way === 'tunnel' && relay !== null && domain !== null) return { way, relay, domain, agreed: agreed === 1 };
  // The agreement counts for the host that it names, and for no other.
  if (way === 'localtunnel' && host !== null && subdomain !== null && row.readable_by === readerOf({ host }))
    return { way, host, subdomain, passwordSignIn: row.password_sign_in === 1 };
  return { way: 'none' };
};

/** Scheme and host by which a PDA of this name is reached; undefined: by none, or only the server knows it. */
export const addressOf = (way: Way, name: string | undefined): string | undefined => {
  if (way.way === 'own') return new URL(way.publicUrl).origin;
  return way.way === 'tunnel' && name !== undefined ? tunnelUrl(way, name) : undefined;
};

const refuse = (path: string, problem: string): never => {
  throw new Failure('invalid_input', `The ${path} ${problem}. Nothing was changed.`, {
    details: [{ path: `body.${path}`, problem }],
  });
};

/** @throws Failure invalid_input */
const rowOf = (change: ExposureChange): Omit<ExposureRow, 'dark'> => {
  const nothing = {
    relay: null,
    domain: null,
    agreed: 0,
    public_url: null,
    host: null,
    subdomain: null,
    readable_by: null,
    password_sign_in: 0,
  };
  if (change.way === 'none') return { ...nothing, way: 'none' };
  if (change.way === 'own') {
    const { origin, href, username, password } = new URL(change.publicUrl);
    if (username !== '' || password !== '') refuse('publicUrl', 'holds a name or a password');
    if (href !== `${origin}/`) refuse('publicUrl', 'has more than scheme and host');
    return { ...nothing, way: 'own', public_url: origin };
  }
  if (change.way === 'localtunnel') {
    const { host, subdomain, readableBy, passwordSignIn } = change;
    const problem = localtunnelProblem({ host, subdomain });
    if (problem !== undefined) refuse(problem.key, problem.problem);
    if (readableBy !== readerOf({ host }))
      refuse('readableBy', `does not name ${readerOf({ host })}, which reads everything`);
    return {
      ...nothing,
      way: 'localtunnel',
      host: new URL(host).origin,
      subdomain,
      readable_by: readableBy,
      password_sign_in: passwordSignIn ? 1 : 0,
    };
  }
  const place = { relay: new URL(change.relay).href.replace(/\/$/u, ''), domain: change.domain.toLowerCase() };
  const found = tunnelProblem(place);
  if (found !== undefined) refuse(found.key, found.problem);
  return { ...nothing, way: 'tunnel', ...place, agreed: change.agreed ? 1 : 0 };
};

export const createExposureSettings = (parts: {
  store: ExposureStore;
  writer: Writer;
  fixed: FixedWay;
}): ExposureSettings => {
  const { store, writer } = parts;
  const fixed = fixedWay(parts.fixed);
  let row = store.row();
  const inTurn = createTurns();
  const set = async (change: Partial<ExposureRow>, also: (tx: Transaction) => void): Promise<void> => {
    row = await writer.write((tx) => {
      const changed = { ...store.row(), ...change };
      store.set(tx, changed);
      also(tx);
      return changed;
    });
  };
  return {
    fixed: fixed !== undefined,
    way: () => fixed ?? wayOf(row),
    darkSince: () => row.dark,
    async change(change, also) {
      const wanted = rowOf(change);
      if (fixed !== undefined) {
        throw new Failure('wrong_state', 'This is set in config.json, or at the start. Nothing was changed.');
      }
      await set(wanted, also);
    },
    setDark: (dark, also) =>
      inTurn(async () => {
        if ((row.dark === null) !== (dark === null)) await set({ dark }, also);
      }),
  };
};
