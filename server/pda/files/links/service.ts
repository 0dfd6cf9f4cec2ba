import { randomUUID } from 'node:crypto';
import { hashPassword, passwordMatches } from '../../../platform/auth/password.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { AttemptOrigin, LoginThrottle } from '../../../platform/limits/login-throttle.ts';
import { MAX_ARCHIVE_FILES, MAX_SHARE_LINKS, SHARE_PAGE_FILES } from '../../../wire/limits.ts';
import type { ListedShareLink, NewShareLink, ShareLink, ShareLinkChange } from '../../../wire/share-links.ts';
import { SHARE_PATH } from '../../../wire/guest-paths.ts';
import { isInFolder } from '../../../wire/values.ts';
import type { EventService } from '../../core/events/service.ts';
import type { DatabaseThread, Transaction, Writer } from '../../storage/index.ts';
import type { CollectionStore } from '../collections/store.ts';
import type { ShareTargets } from '../grants/targets.ts';
import { parseBearer, type Bearer } from '../access/url-signature.ts';
import { isInline } from '../content/types.ts';
import { cutPage } from '../rules.ts';
import type { FileRow, FileStore } from '../store.ts';
import { readFileCounts } from './file-counts.ts';
import { createPasswordAttempts } from './password-attempts.ts';
import { newShareToken, newVisit, signPass, stateOfLink, visitOfPass, type VisitPass } from './rules.ts';
import type { ShareLinkRow, ShareLinkStore } from './store.ts';

const COUNTED_OPENS_MAX = 10_000;
/** One more than the rows of a page, to know whether there is a next page. */
const PAGE_QUERY_ROWS = SHARE_PAGE_FILES + 1;

export type SharedFilesPage = {
  rows: readonly FileRow[];
  /** Path or position after which the next page begins; undefined if there is no next page. */
  next: string | undefined;
};

export type ShareLinkParts = {
  store: ShareLinkStore;
  files: Pick<FileStore, 'filesBelowFolder' | 'completeFilesBelow' | 'countCompleteFilesBelow'>;
  collections: Pick<CollectionStore, 'findById' | 'hasFile' | 'files' | 'countFiles'>;
  targets: ShareTargets;
  reader: Pick<DatabaseThread, 'all'>;
  secret: () => Buffer;
  checkPassword: LoginThrottle['check'];
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

export type ShareLinkService = ReturnType<typeof createShareLinkService>;

const pageOf = <Row extends FileRow>(
  fetchedRows: readonly Row[],
  cursorOf: (row: Row) => string | undefined,
): SharedFilesPage => {
  const { rows, hasMore } = cutPage(fetchedRows, SHARE_PAGE_FILES);
  const last = rows.at(-1);
  return { rows, next: hasMore && last !== undefined ? cursorOf(last) : undefined };
};

const unknownLinkFailure = (): Failure => new Failure('not_found', 'There is no such link. It may have been revoked.');
const endedLinkFailure = (): Failure => new Failure('forbidden', 'This link no longer opens this file.');

/**
 * Manages share links. A pass proves that a reader has opened the page of the link. Each signed URL contains the id of
 * the link, so that it stops working when the link ends.
 */
export const createShareLinkService = (parts: ShareLinkParts) => {
  const { store, files, collections, targets, secret, writer, clock } = parts;
  const passwordAttempts = createPasswordAttempts(clock);
  const countedOpens = new Map<string, Promise<void>>();

  const requireLink = (linkId: string): ShareLinkRow => {
    const row = store.findById(linkId);
    if (row === undefined) throw unknownLinkFailure();
    return row;
  };

  const requireFuture = (expires: number | null | undefined): void => {
    if (typeof expires === 'number' && expires <= clock.now())
      throw new Failure('invalid_input', 'A link must expire in the future. Nothing was changed.', {
        details: [{ path: 'body.expires', problem: 'in the past' }],
      });
  };

  const collectionOf = ({ collection: collectionId }: ShareLinkRow): ShareLink['collection'] =>
    collectionId === null ? null : { collectionId, name: collections.findById(collectionId)?.name ?? '' };

  const toLink = (row: ShareLinkRow): ShareLink => ({
    linkId: row.id,
    name: row.name,
    path: `${SHARE_PATH}/${row.token}`,
    files: store.fileNames(row.id),
    folder: row.folder,
    collection: collectionOf(row),
    created: row.created,
    expires: row.expires,
    password: row.password_hash !== null,
    viewOnly: row.view_only === 1,
    opensMax: row.opens_max,
    opens: row.opens,
    lastOpened: row.last_opened,
    state: stateOfLink(row, clock.now()),
  });

  const includes = ({ id, folder, collection }: ShareLinkRow, file: FileRow): boolean => {
    if (file.status !== 'Completed') return false;
    if (folder !== null) return isInFolder(folder, file.path);
    return collection === null ? store.hasFile(id, file.seq) : collections.hasFile(collection, file.seq);
  };

  const allFiles = ({ id, folder, collection }: ShareLinkRow, take: number): FileRow[] => {
    if (folder !== null) return files.completeFilesBelow(folder, take);
    return collection === null ? store.files(id) : collections.files(collection, { take });
  };

  const countFilesOf = ({ id, folder, collection }: ShareLinkRow, max: number): number => {
    if (folder !== null) return files.countCompleteFilesBelow(folder, max);
    return collection === null ? store.files(id).length : collections.countFiles(collection, max);
  };

  const allowsArchive = (link: ShareLinkRow): boolean => link.view_only === 0 && link.opens_max === null;

  const archiveFiles = (link: ShareLinkRow): FileRow[] | undefined => {
    if (!allowsArchive(link)) return undefined;
    const rows = allFiles(link, MAX_ARCHIVE_FILES + 1);
    return rows.length === 0 || rows.length > MAX_ARCHIVE_FILES ? undefined : rows;
  };

  /** @throws Failure forbidden if the link was revoked, has expired or has reached its limit */
  const addOpen = (tx: Transaction, linkId: string): void => {
    const link = store.findById(linkId);
    if (link === undefined || stateOfLink(link, clock.now()) !== 'active') throw endedLinkFailure();
    store.addOpen(tx, linkId, clock.now());
    parts.events.notify(tx, 'files');
  };

  return {
    async list(): Promise<ListedShareLink[]> {
      const countFiles = await readFileCounts(parts.reader);
      return store.list().map((row) => {
        const link = toLink(row);
        return { ...link, fileCount: link.files.length + countFiles(row) };
      });
    },

    listActive: (): Pick<ShareLinkRow, 'id' | 'name' | 'expires'>[] =>
      store.list().filter((row) => stateOfLink(row, clock.now()) === 'active'),

    /**
     * @throws Failure invalid_input | not_found for an unknown file, folder or collection | wrong_state at the maximum
     *   number of links
     */
    async create(input: NewShareLink): Promise<ShareLink> {
      requireFuture(input.expires);
      const row: ShareLinkRow = {
        id: randomUUID(),
        token: newShareToken(),
        name: input.name,
        folder: input.folder ?? null,
        collection: input.collectionId ?? null,
        created: clock.now(),
        expires: input.expires ?? null,
        password_hash: input.password === undefined ? null : await hashPassword(input.password),
        view_only: input.viewOnly ? 1 : 0,
        opens_max: input.opensMax ?? null,
        opens: 0,
        last_opened: null,
      };
      return writer.write((tx) => {
        if (store.count() >= MAX_SHARE_LINKS)
          throw new Failure('wrong_state', `There are ${MAX_SHARE_LINKS} links. Revoke some of them first.`);
        if (input.folder !== undefined) targets.requireFolder(input.folder);
        if (input.collectionId !== undefined) targets.requireCollection(input.collectionId);
        store.insert(tx, row, targets.requireFiles(input.fileIds ?? []));
        parts.events.notify(tx, 'files');
        return toLink(row);
      });
    },

    /** @throws Failure not_found | invalid_input */
    async change(linkId: string, change: ShareLinkChange): Promise<ShareLink> {
      requireLink(linkId);
      requireFuture(change.expires);
      const { password } = change;
      const hash = typeof password === 'string' ? await hashPassword(password) : password;
      return writer.write((tx) => {
        const row = requireLink(linkId);
        store.update(tx, {
          ...row,
          name: change.name ?? row.name,
          expires: change.expires === undefined ? row.expires : change.expires,
          password_hash: hash === undefined ? row.password_hash : hash,
          view_only: change.viewOnly === undefined ? row.view_only : Number(change.viewOnly),
          opens_max: change.opensMax === undefined ? row.opens_max : change.opensMax,
        });
        parts.events.notify(tx, 'files');
        return toLink(requireLink(linkId));
      });
    },

    /** Deletes the link and ends its running downloads. @throws Failure not_found */
    revoke: (linkId: string): Promise<ShareLink> =>
      writer.write((tx) => {
        const link = toLink(requireLink(linkId));
        store.remove(tx, linkId);
        parts.events.notify(tx, 'files');
        return link;
      }),

    revokeAll: (): Promise<number> =>
      writer.write((tx) => {
        const count = store.count();
        store.removeAll(tx);
        parts.events.notify(tx, 'files');
        return count;
      }),

    find(token: string): { link: ShareLinkRow; state: ShareLink['state'] } | undefined {
      const link = store.findByToken(token);
      return link === undefined ? undefined : { link, state: stateOfLink(link, clock.now()) };
    },

    /** @throws Failure not_found */
    requireById(linkId: string): { link: ShareLinkRow; state: ShareLink['state'] } {
      const link = requireLink(linkId);
      return { link, state: stateOfLink(link, clock.now()) };
    },

    /** @throws Failure rate_limited */
    async checkPassword(link: ShareLinkRow, password: string, origin: AttemptOrigin): Promise<boolean> {
      const hash = link.password_hash;
      if (hash === null) return true;
      return passwordAttempts.check(link.id, origin, () =>
        parts.checkPassword(origin, () => passwordMatches(hash, password)),
      );
    },

    newPass: (link: ShareLinkRow): VisitPass => signPass(secret(), link, newVisit(), clock.now()),

    visitOf: (link: ShareLinkRow, pass: VisitPass): string | undefined =>
      visitOfPass(secret(), link, pass, clock.now()),

    /** @param after `next` of the previous page; empty for the first page */
    listFiles(link: ShareLinkRow, after: string): SharedFilesPage {
      if (link.collection !== null) {
        const position = /^\d{1,15}$/u.test(after) ? Number(after) : undefined;
        return pageOf(collections.files(link.collection, { before: position, take: PAGE_QUERY_ROWS }), (row) =>
          String(row.position),
        );
      }
      if (link.folder === null) return { rows: store.files(link.id), next: undefined };
      const start = isInFolder(link.folder, after) ? after : `${link.folder}/`;
      const { rows, next } = pageOf(
        files.filesBelowFolder(link.folder, start, PAGE_QUERY_ROWS),
        ({ path }) => path ?? undefined,
      );
      return { rows: rows.filter((row) => row.status === 'Completed'), next };
    },

    includes,

    archiveFiles,

    offersArchive(link: ShareLinkRow): boolean {
      if (!allowsArchive(link)) return false;
      const count = countFilesOf(link, MAX_ARCHIVE_FILES + 1);
      return count > 1 && count <= MAX_ARCHIVE_FILES;
    },

    bearerOf: (link: ShareLinkRow, visit: string): Bearer => `link:${link.id}:${visit}`,

    /** Returns an empty string if the link was revoked. */
    nameOf: (linkId: string): string => store.findById(linkId)?.name ?? '',

    /** Ignores the limit on opened files, which applies only before a download starts. */
    mayDownload(linkId: string, file: FileRow): boolean {
      const link = store.findById(linkId);
      return link !== undefined && stateOfLink(link, clock.now()) !== 'expired' && includes(link, file);
    },

    /** Returns true if the file was already counted in the visit of a signed URL. */
    isCounted: (bearer: Bearer, file: FileRow): boolean => countedOpens.has(`${bearer} ${file.seq}`),

    /**
     * Counts an opened file, once per visit. Must run before the content of a signed URL is sent.
     * @throws Failure forbidden if the link was revoked, has expired or has reached its limit, or if the link is
     *   view-only and a browser cannot show the file
     */
    async countOpen(bearer: Bearer, file: FileRow): Promise<void> {
      const { kind, id } = parseBearer(bearer);
      if (kind !== 'link') return;
      if (store.findById(id)?.view_only === 1 && !isInline(file.type))
        throw new Failure('forbidden', 'Downloads are turned off, and browsers cannot show this file.');
      const key = `${bearer} ${file.seq}`;
      let countPromise = countedOpens.get(key);
      if (countPromise === undefined) {
        countPromise = writer.write((tx) => addOpen(tx, id));
        setBounded(countedOpens, key, countPromise, COUNTED_OPENS_MAX);
        countPromise.catch(() => countedOpens.delete(key));
      }
      await countPromise;
    },
  };
};
