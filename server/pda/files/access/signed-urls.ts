import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Principal, Scope } from '../../../platform/auth/principal.ts';
import type { UserService } from '../../identity/users/service.ts';
import { bearerParts, isSignedBy, type Bearer } from './url-signature.ts';
import { mayManage, mayReadContent } from './permissions.ts';
import type { FileRow, FileStore } from '../store.ts';
import { factsOf, type View } from './view.ts';

/** What comes in at a signed address. Who made it is proven by the signature; whether its right still holds is looked up each time. */

export type SignedRequest = {
  fileId: string;
  method: 'GET' | 'PUT';
  query: Record<'expires' | 'method' | 'by' | 'signature', string>;
};

export type SignedAddresses = {
  /** @throws Failure forbidden */
  open(request: SignedRequest): { row: FileRow; by: Bearer };
  mayFetch(seq: number, by: Bearer): boolean;
  /** @throws Failure forbidden when the right to send content has ended */
  requireSending(seq: number, by: Bearer): void;
};

const refused = (why: string): Failure => new Failure('forbidden', `This address is not good ${why}.`);

export const createSignedAddresses = (parts: {
  store: FileStore;
  users: Pick<UserService, 'find'>;
  ownerId: () => string;
  scopesOf: (application: string) => ReadonlySet<Scope> | undefined;
  isSessionAlive: (session: string) => boolean;
  view: View;
  secret: () => Buffer;
  clock: Clock;
}): SignedAddresses => {
  const { store, users, view, clock } = parts;

  /** The principal for whom a URL was signed, with its current rights. */
  const principalOf = (by: Bearer): Principal | undefined => {
    const { kind, id: name, session: sessionId } = bearerParts(by);
    if (kind !== 'public' && !parts.isSessionAlive(sessionId)) return undefined;
    const session = { userId: parts.ownerId(), sessionId: '' };
    switch (kind) {
      case 'owner':
        return { kind: 'owner', ...session };
      case 'user':
        return users.find(name)?.enabled === true
          ? { kind: 'user', userId: name, sessionId: '', scopes: new Set() }
          : undefined;
      case 'application': {
        const scopes = parts.scopesOf(name);
        return scopes === undefined ? undefined : { kind: 'application', application: name, ...session, scopes };
      }
      case 'public':
        return { kind: 'visitor' };
      default:
        return undefined;
    }
  };

  const mayFetch = (seq: number, by: Bearer): boolean => {
    const row = store.bySeq(seq);
    const principal = principalOf(by);
    if (row === undefined || principal === undefined) return false;
    return mayReadContent(principal, factsOf(row), view.grant(row, principal));
  };

  const maySend = (row: FileRow, by: Bearer): boolean => {
    const principal = principalOf(by);
    return principal !== undefined && row.status === 'New' && mayManage(principal, factsOf(row));
  };

  return {
    mayFetch,
    requireSending(seq, by) {
      const row = store.bySeq(seq);
      if (row === undefined || !maySend(row, by)) throw refused('any more');
    },
    open({ fileId, method, query }) {
      const row = store.byFileId(fileId);
      const nonce = method === 'PUT' ? row?.nonce : row?.id;
      const signed = { fileId, method, expires: Number(query.expires), by: query.by, nonce: nonce ?? '' } as const;
      // Without a valid signature the response reveals nothing, not even whether the file exists.
      const fits = isSignedBy(parts.secret(), signed, query.signature);
      const right = row !== undefined && nonce !== null && fits;
      if (!right || query.method !== method || String(signed.expires) !== query.expires)
        throw refused(`for ${method}, or was used before`);
      if (clock.now() >= signed.expires) throw refused('any more');
      const holds = method === 'GET' ? mayFetch(row.seq, query.by) : maySend(row, query.by);
      if (!holds) throw refused('any more');
      return { row, by: query.by };
    },
  };
};
