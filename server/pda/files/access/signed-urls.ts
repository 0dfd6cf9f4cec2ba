import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Principal, Scope } from '../../../platform/auth/principal.ts';
import type { UserService } from '../../identity/users/service.ts';
import { parseBearer, isSignedBy, type Bearer } from './url-signature.ts';
import { mayManage, mayReadContent } from './permissions.ts';
import type { FileRow, FileStore } from '../store.ts';
import { factsOf, type FileView } from './view.ts';

// A signed URL names the principal or share link for which it was signed. Their current rights are checked at each
// request.

export type SignedRequest = {
  fileId: string;
  method: 'GET' | 'PUT';
  query: Record<'expires' | 'method' | 'by' | 'signature', string>;
};

const invalidUrlFailure = (): Failure =>
  new Failure('forbidden', 'This URL is not valid for this request. Request a new one.');
const noLongerValidFailure = (): Failure => new Failure('forbidden', 'This URL is no longer valid. Request a new one.');

export const createSignedUrls = (parts: {
  store: FileStore;
  users: Pick<UserService, 'find'>;
  ownerId: () => string;
  scopesOf: (application: string) => ReadonlySet<Scope> | undefined;
  isSessionAlive: (session: string) => boolean;
  mayDownloadByLink: (linkId: string, file: FileRow) => boolean;
  view: FileView;
  secret: () => Buffer;
  clock: Clock;
}) => {
  const { store, users, view, clock } = parts;

  const principalOf = (bearer: Bearer): Principal | undefined => {
    const { kind, id, session: sessionId } = parseBearer(bearer);
    if (kind !== 'public' && !parts.isSessionAlive(sessionId)) return undefined;
    const ownerWithoutSession = { userId: parts.ownerId(), sessionId: '' };
    switch (kind) {
      case 'owner':
        return { kind: 'owner', ...ownerWithoutSession };
      case 'user':
        return users.find(id)?.enabled === true
          ? { kind: 'user', userId: id, sessionId: '', scopes: new Set() }
          : undefined;
      case 'application': {
        const scopes = parts.scopesOf(id);
        return scopes === undefined
          ? undefined
          : { kind: 'application', application: id, ...ownerWithoutSession, scopes };
      }
      case 'public':
        return { kind: 'visitor' };
      default:
        return undefined;
    }
  };

  const mayDownload = (seq: number, bearer: Bearer): boolean => {
    const row = store.findBySeq(seq);
    if (row === undefined) return false;
    const { kind, id } = parseBearer(bearer);
    if (kind === 'link') return parts.mayDownloadByLink(id, row);
    const principal = principalOf(bearer);
    if (principal === undefined) return false;
    return mayReadContent(principal, factsOf(row), view.grantOf(row, principal));
  };

  const mayUpload = (row: FileRow, bearer: Bearer): boolean => {
    const principal = principalOf(bearer);
    return principal !== undefined && row.status === 'New' && mayManage(principal, factsOf(row));
  };

  return {
    mayDownload,
    /** @throws Failure forbidden if the principal no longer has the right to upload the content */
    requireUploadRight(seq: number, bearer: Bearer): void {
      const row = store.findBySeq(seq);
      if (row === undefined || !mayUpload(row, bearer)) throw noLongerValidFailure();
    },
    /** Returns the file and the bearer of a signed URL. @throws Failure forbidden if the URL is not valid now */
    open({ fileId, method, query }: SignedRequest): { row: FileRow; bearer: Bearer } {
      const row = store.findByFileId(fileId);
      const nonce = method === 'PUT' ? row?.nonce : row?.id;
      const { by: bearer } = query;
      const fields = { fileId, method, expires: Number(query.expires), bearer, nonce: nonce ?? '' } as const;
      // Without a valid signature the response reveals nothing, not even whether the file exists.
      const isSigned = isSignedBy(parts.secret(), fields, query.signature);
      const isValid = row !== undefined && nonce !== null && isSigned;
      if (!isValid || query.method !== method || String(fields.expires) !== query.expires) throw invalidUrlFailure();
      if (clock.now() >= fields.expires) throw noLongerValidFailure();
      const isAllowed = method === 'GET' ? mayDownload(row.seq, bearer) : mayUpload(row, bearer);
      if (!isAllowed) throw noLongerValidFailure();
      return { row, bearer };
    },
  };
};
