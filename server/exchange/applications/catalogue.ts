import { hash } from 'node:crypto';
import { setBounded } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { applicationSchema } from '../../wire/applications.ts';
import { applicationPropertiesSchema } from '../../wire/exchange.ts';
import type { Database } from '../storage/index.ts';
import { byWidth, isFor, keyOf, withProperties } from './rules.ts';
import { allProperties, catalogueVersion, publicApplications, type PropertiesRow } from './store.ts';

/**
 * The published applications as the text that PDAs read, kept in memory: every PDA asks for all of it again and again. One word in the database
 * tells whether it is still the text.
 */

/** Milliseconds in which another process's verdict may not be seen yet. */
const LOOKED_MS = 1000;
const PAGE = 500;
/** Answers that are kept: by kind, page, and the changes that a PDA reads them with. */
const MAX_ANSWERS = 100;
const MAX_ANSWERS_BYTES = 200_000_000;

/** Bytes where the same answer goes out again and again. */
export type Ready = { text: string | Buffer; etag: string };
export type CatalogueQuery = { kind?: string | undefined; startId?: string | undefined; limit?: number | undefined };

type Entry = { kind: string; name: string; text: string };
type Change = Omit<PropertiesRow, 'properties'> & { text: string };
type Catalogue = {
  version: string;
  /** In the order of their ids. */
  entries: ReadonlyMap<string, Entry>;
  ids: ReadonlySet<string>;
  changes: readonly Change[];
  answers: Map<string, Ready>;
  bytes: number;
};

const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url')}"`;

/** What the exchange wrote itself is read for the two things that it is looked for by. */
const entryOf = (text: string): Entry => {
  const { kind, info } = applicationSchema.parse(JSON.parse(text));
  return { kind: kind.kind, name: info.name.toLowerCase(), text };
};

export const createCatalogue = (parts: { database: Database; clock: Clock }) => {
  const { database, clock } = parts;
  let kept: Catalogue | undefined;
  let looking: Promise<Catalogue> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const load = async (version: string): Promise<Catalogue> => {
    const found: [string, Entry][] = [];
    for (let after = ''; ;) {
      const rows = await database.read((db) => publicApplications(db, after, PAGE));
      // What was parsed before and is the same is not parsed again.
      for (const { id_key: key, body } of rows) {
        const before = kept?.entries.get(key);
        found.push([key, before?.text === body ? before : entryOf(body)]);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) break;
      after = last.id_key;
    }
    // The database may sort as a language does; who asks page by page compares letter by letter.
    const entries = new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const properties = await database.read(allProperties);
    const changes = properties.toSorted(byWidth).map(({ properties: text, ...change }) => ({ ...change, text }));
    return { version, entries, ids: new Set(entries.keys()), changes, answers: new Map(), bytes: 0 };
  };

  const look = async (): Promise<Catalogue> => {
    // The word is read before the text: a verdict between the two is seen at the next look.
    const version = await database.read(catalogueVersion);
    if (kept?.version !== version) kept = await load(version);
    return kept;
  };

  const current = (): Promise<Catalogue> => {
    const now = clock.now();
    if (kept !== undefined && Math.abs(now - lookedAt) < LOOKED_MS) return Promise.resolve(kept);
    if (looking !== undefined) return looking;
    const mine: Promise<Catalogue> = look()
      .then((found) => {
        if (looking === mine) lookedAt = now;
        return found;
      })
      .finally(() => {
        if (looking === mine) looking = undefined;
      });
    looking = mine;
    return mine;
  };

  /** Changes that this reader reads with. They are few: what is kept is kept by their list. */
  const changesFor = (catalogue: Catalogue, address: string | null): Change[] =>
    catalogue.changes.filter((change) => isFor(change, address));

  const textFor = (entry: Entry, key: string, changes: readonly Change[]): string => {
    const mine = changes.filter((change) => change.id_key === key);
    if (mine.length === 0) return entry.text;
    let application = applicationSchema.parse(JSON.parse(entry.text));
    for (const { text } of mine) {
      application = withProperties(application, applicationPropertiesSchema.parse(JSON.parse(text)));
    }
    return JSON.stringify(application);
  };

  const keep = (catalogue: Catalogue, key: string, answer: Ready): Ready => {
    if (catalogue.bytes + answer.text.length > MAX_ANSWERS_BYTES) {
      catalogue.answers.clear();
      catalogue.bytes = 0;
    }
    catalogue.bytes += answer.text.length;
    setBounded(catalogue.answers, key, answer, MAX_ANSWERS);
    return answer;
  };

  return {
    /** All of it, or a page: those from `startId` on, in the order of ids. `address`: of the PDA that reads, if it is one. */
    async list({ kind, startId, limit }: CatalogueQuery, address: string | null): Promise<Ready> {
      const catalogue = await current();
      const changes = changesFor(catalogue, address);
      const from = startId === undefined ? '' : keyOf(startId);
      const answerKey = JSON.stringify([
        kind ?? '',
        from,
        limit ?? null,
        changes.map(({ id_key: id, cluster, pda }) => [id, cluster, pda]),
      ]);
      const known = catalogue.answers.get(answerKey);
      if (known !== undefined) return known;
      const texts: string[] = [];
      for (const [key, entry] of catalogue.entries) {
        if (limit !== undefined && texts.length >= limit) break;
        if (key >= from && (kind === undefined || entry.kind === kind)) texts.push(textFor(entry, key, changes));
      }
      // The same word and the same question have the same answer, in each process: no need to go through megabytes for it.
      const etag = etagOf(`${catalogue.version} ${answerKey}`);
      return keep(catalogue, answerKey, { text: Buffer.from(`[${texts.join(',')}]`), etag });
    },

    async one(id: string, address: string | null): Promise<Ready | undefined> {
      const catalogue = await current();
      const key = keyOf(id);
      const entry = catalogue.entries.get(key);
      if (entry === undefined) return undefined;
      const text = textFor(entry, key, changesFor(catalogue, address));
      return { text, etag: etagOf(text) };
    },

    /** Ids of the published ones, in lower case. */
    ids: async (): Promise<ReadonlySet<string>> => (await current()).ids,

    /** Ids of those that are called so, by id or by name. */
    async called(title: string): Promise<string[]> {
      const { entries } = await current();
      const wanted = title.toLowerCase();
      if (entries.has(wanted)) return [wanted];
      return [...entries].filter(([, entry]) => entry.name === wanted).map(([key]) => key);
    },

    /** After a verdict of this process: the next reader sees it. */
    changed(): void {
      lookedAt = Number.NEGATIVE_INFINITY;
      // A look that is under way may have been too early.
      looking = undefined;
    },
  };
};

export type CatalogueReader = ReturnType<typeof createCatalogue>;
