import { compare } from 'semver';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { applicationSchema, type Application } from '../../wire/applications.ts';
import type { ApplicationProperties, ListedApplication } from '../../wire/exchange.ts';
import type { Audit, Database, Db, Tx } from '../storage/index.ts';
import { createCatalogue, type CatalogueQuery, type Ready } from './catalogue.ts';
import {
  asKept,
  changed,
  keyOf,
  published,
  shownState,
  submitted,
  suspended,
  versionAbove,
  type PropertiesScope,
  type Standing,
} from './rules.ts';
import {
  countUnpublished,
  deleteDraft,
  findApplication,
  insertApplication,
  listApplications,
  lockApplication,
  turnCatalogue,
  versionsOf,
  writeApplication,
  writeProperties,
  writeVersion,
  type ApplicationRow,
  type Listing,
} from './store.ts';

/** Applications, from a developer's draft to what PDAs read. */

export type Developer = { accountId: string; name: string };

/** Whose application it is when the operator registers one for nobody in particular. */
export const OPERATOR: Developer = { accountId: '00000000-0000-0000-0000-000000000000', name: 'operator' };

/** Characters of one application as JSON. Every PDA reads all of them. */
const MAX_APPLICATION_CHARS = 200_000;
/** Applications of one account that were never published. */
const MAX_UNPUBLISHED = 100;
/** Rows that are read at once where all are asked for. */
const PAGE = 200;

export type ApplicationService = {
  /** @throws Failure already_exists | too_large | wrong_state */
  create(application: Application, developer: Developer): Promise<ListedApplication>;
  /** The draft as it is by now, or that of a next version. @throws Failure not_found | forbidden | wrong_state | too_large */
  change(id: string, application: Application, developer: Developer): Promise<ListedApplication>;
  /** Asks for a verdict. @throws Failure not_found | forbidden | wrong_state */
  submit(id: string, developer: Developer): Promise<ListedApplication>;
  /** `seen`: when what was looked at was changed last; nothing newer than that goes out. @throws Failure not_found | wrong_state */
  publish(id: string, by: string, seen?: number): Promise<ListedApplication>;
  suspend(id: string, by: string): Promise<ListedApplication>;
  /** An application with its maker's and the operator's eyes. */
  listed(listing: Listing): Promise<ListedApplication[]>;
  /** What PDAs read. `address`: of the PDA that does. */
  catalogue(query: CatalogueQuery, address: string | null): Promise<Ready>;
  /** @throws Failure not_found */
  publicOne(id: string, address: string | null): Promise<Ready>;
  /** The newest versions, also such as nobody has let through; all of them or those of one account. */
  newest(query: CatalogueQuery, accountId: string | undefined): Promise<Application[]>;
  /** @throws Failure not_found */
  newestOne(id: string, accountId: string | undefined): Promise<Application>;
  /** Ids of the published ones, in lower case. */
  publishedIds(): Promise<ReadonlySet<string>>;
  /** What an operator changes of how an application is shown to some PDAs. @throws Failure not_found */
  changeProperties(properties: ApplicationProperties, scope: PropertiesScope, by: string): Promise<number>;
  /**
   * Makes or changes an application and publishes it at once, inside a transaction of another room, which writes down by whose word. One that says it
   * is not `published` is kept and not shown. `staysSuspended`: what an operator has suspended is not shown again by whoever asks.
   * @throws Failure already_exists when somebody else has that id | too_large
   */
  publishWithin(
    tx: Tx,
    application: Application,
    developer: Developer,
    options?: { staysSuspended: boolean },
  ): Promise<void>;
  /** For the command line: registered, and submitted or published. @throws Failure */
  register(application: Application, who: { developer?: Developer; publish: boolean; by: string }): Promise<void>;
};

const unknown = (): Failure => new Failure('not_found', 'There is no such application.');

const standingOf = (row: ApplicationRow): Standing => ({
  state: row.state,
  suspended: row.suspended,
  version: row.version,
  publicVersion: row.public_version,
});

const isPublic = (row: ApplicationRow): boolean => row.public_version !== null && !row.suspended;

const parsed = (text: string): Application => applicationSchema.parse(JSON.parse(text));

/** Whatever the order in which its fields are written. */
const isSame = (a: string | null, b: string): boolean =>
  a !== null && JSON.stringify(parsed(a)) === JSON.stringify(parsed(b));

export const createApplicationService = (parts: {
  database: Database;
  audit: Audit;
  clock: Clock;
}): ApplicationService => {
  const { database, audit, clock } = parts;
  const catalogue = createCatalogue(parts);

  const textOf = (application: Application, developer: string, isPublished = false): string => {
    const text = JSON.stringify(asKept(application, developer, isPublished));
    if (text.length > MAX_APPLICATION_CHARS) {
      throw new Failure('too_large', `An application has at most ${MAX_APPLICATION_CHARS} characters.`);
    }
    return text;
  };

  const listedFrom = async (db: Db, rows: readonly ApplicationRow[]): Promise<ListedApplication[]> => {
    const versions = await versionsOf(
      db,
      rows.map((row) => row.id_key),
    );
    return rows.map((row) => ({
      application: parsed(row.body),
      developer: row.developer,
      state: shownState(standingOf(row)),
      created: row.created,
      changed: row.changed,
      versions: (versions.get(row.id_key) ?? []).toSorted((a, b) => compare(a.version, b.version)),
    }));
  };
  const listedOne = async (db: Db, row: ApplicationRow): Promise<ListedApplication> => {
    const [only] = await listedFrom(db, [row]);
    if (only === undefined) throw unknown();
    return only;
  };

  /** @throws Failure not_found | forbidden when it is somebody else's */
  const own = async (tx: Tx, id: string, developer: Developer): Promise<ApplicationRow> => {
    const row = await lockApplication(tx, keyOf(id));
    if (row === undefined) throw unknown();
    if (row.account_id === developer.accountId) return row;
    // Of what is not public nobody else hears that it is there.
    throw isPublic(row) ? new Failure('forbidden', 'This application is somebody else’s.') : unknown();
  };

  const insertDraft = async (tx: Tx, application: Application, developer: Developer): Promise<ApplicationRow> => {
    const now = clock.now();
    const { version } = application.info;
    const body = textOf(application, developer.name);
    const row: ApplicationRow = {
      id_key: keyOf(application.id),
      id: application.id,
      account_id: developer.accountId,
      developer: developer.name,
      state: 'draft',
      suspended: false,
      version,
      body,
      public_version: null,
      public_body: null,
      created: now,
      changed: now,
    };
    if (!(await insertApplication(tx, row))) {
      throw new Failure('already_exists', 'There is an application with this id. Ids are compared without case.');
    }
    await writeVersion(tx, { id_key: row.id_key, version, body, created: now, published: null });
    return row;
  };

  const writeDraft = async (tx: Tx, row: ApplicationRow, application: Application): Promise<ApplicationRow> => {
    const now = clock.now();
    const { version } = application.info;
    const standing = changed(standingOf(row), version, row.public_version);
    // The id stays as it was written first: PDAs know it so.
    const body = textOf({ ...application, id: row.id }, row.developer);
    if (row.version !== version) await deleteDraft(tx, row.id_key, row.version);
    await writeVersion(tx, { id_key: row.id_key, version, body, created: now, published: null });
    const after: ApplicationRow = { ...row, state: standing.state, version, body, changed: now };
    await writeApplication(tx, after);
    return after;
  };

  /** The row in its new standing; what PDAs read changes with it where it has to. */
  const take = async (tx: Tx, row: ApplicationRow, to: Standing): Promise<ApplicationRow> => {
    const now = clock.now();
    const goesPublic = to.publicVersion !== row.public_version;
    const publicBody = goesPublic ? textOf(parsed(row.body), row.developer, true) : row.public_body;
    if (goesPublic) {
      const { id_key, version, body } = row;
      await writeVersion(tx, { id_key, version, body, created: now, published: now });
    }
    const after: ApplicationRow = {
      ...row,
      state: to.state,
      suspended: to.suspended,
      // What is shown to its maker says so too.
      body: goesPublic && publicBody !== null ? publicBody : row.body,
      public_version: to.publicVersion,
      public_body: publicBody,
      changed: now,
    };
    await writeApplication(tx, after);
    if (isPublic(row) || isPublic(after)) await turnCatalogue(tx, randomUUID());
    return after;
  };

  const note = (tx: Tx, what: string, row: ApplicationRow, who: string): Promise<void> =>
    audit.note(tx, { who, what: `application.${what}`, subject: row.id, detail: `version ${row.version}` });

  const verdict = async (
    id: string,
    by: string,
    what: 'published' | 'suspended',
    seen?: number,
  ): Promise<ListedApplication> => {
    const answer = await database.transact(async (tx) => {
      const row = await lockApplication(tx, keyOf(id));
      if (row === undefined) throw unknown();
      if (seen !== undefined && seen !== row.changed)
        throw new Failure('wrong_state', 'The application was changed after it was looked at. Look at it again.');
      const before = standingOf(row);
      const to = what === 'published' ? published(before) : suspended(before);
      if (JSON.stringify(to) === JSON.stringify(before)) return listedOne(tx, row);
      const after = await take(tx, row, to);
      await note(tx, what, after, by);
      return listedOne(tx, after);
    });
    catalogue.changed();
    return answer;
  };

  /** Made or changed, and published at once unless it says that it is not. */
  const publishNow = async (
    tx: Tx,
    application: Application,
    developer: Developer,
    before: ApplicationRow | undefined,
    staysSuspended = false,
  ): Promise<void> => {
    if (before !== undefined && before.account_id !== developer.accountId) {
      throw new Failure('already_exists', 'There is an application with this id, of another account.');
    }
    const draft =
      before === undefined ? await insertDraft(tx, application, developer) : await writeDraft(tx, before, application);
    const standing = standingOf(draft);
    const held = staysSuspended && standing.suspended;
    if (application.info.published) await take(tx, draft, { ...published(submitted(standing)), suspended: held });
    else if (isPublic(draft)) await take(tx, draft, suspended(standing));
    catalogue.changed();
  };

  const publishWithin: ApplicationService['publishWithin'] = async (tx, given, developer, options) => {
    const before = await lockApplication(tx, keyOf(given.id));
    const newest = before?.public_version ?? null;
    // Its number is counted by somebody who does not know what else became of it.
    const version = newest === null ? given.info.version : versionAbove(given.info.version, newest);
    await publishNow(tx, { ...given, info: { ...given.info, version } }, developer, before, options?.staysSuspended);
  };

  const newestFrom = async (query: CatalogueQuery, accountId: string | undefined): Promise<Application[]> => {
    const { kind, startId, limit = Number.POSITIVE_INFINITY } = query;
    const found: [string, Application][] = [];
    let after: string | undefined;
    for (;;) {
      const rows = await database.read((db) =>
        listApplications(db, {
          take: PAGE,
          ...(accountId === undefined ? {} : { accountId }),
          ...(after === undefined ? {} : { after }),
        }),
      );
      for (const row of rows) {
        const application = parsed(row.body);
        const behind = startId === undefined || row.id_key >= keyOf(startId);
        if (behind && (kind ?? application.kind.kind) === application.kind.kind) found.push([row.id_key, application]);
      }
      after = rows.at(-1)?.id_key;
      if (rows.length < PAGE) break;
    }
    const sorted = found.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return sorted.slice(0, limit).map(([, application]) => application);
  };

  return {
    create: (application, developer) =>
      database.transact(async (tx) => {
        if ((await countUnpublished(tx, developer.accountId)) >= MAX_UNPUBLISHED)
          throw new Failure('wrong_state', `${MAX_UNPUBLISHED} applications of yours are not published yet.`);
        const row = await insertDraft(tx, application, developer);
        await note(tx, 'created', row, developer.name);
        return listedOne(tx, row);
      }),

    change: (id, application, developer) =>
      database.transact(async (tx) => {
        const row = await writeDraft(tx, await own(tx, id, developer), application);
        await note(tx, 'changed', row, developer.name);
        return listedOne(tx, row);
      }),

    submit: (id, developer) =>
      database.transact(async (tx) => {
        const row = await own(tx, id, developer);
        const to = submitted(standingOf(row));
        if (row.state === to.state) return listedOne(tx, row);
        const after = await take(tx, row, to);
        await note(tx, 'submitted', after, developer.name);
        return listedOne(tx, after);
      }),

    publish: (id, by, seen) => verdict(id, by, 'published', seen),
    suspend: (id, by) => verdict(id, by, 'suspended'),

    listed: (listing) => database.read(async (db) => listedFrom(db, await listApplications(db, listing))),

    catalogue: catalogue.list,
    async publicOne(id, address) {
      const found = await catalogue.one(id, address);
      if (found === undefined) throw unknown();
      return found;
    },
    newest: newestFrom,
    async newestOne(id, accountId) {
      const row = await database.read((db) => findApplication(db, keyOf(id)));
      if (row === undefined || (accountId !== undefined && row.account_id !== accountId)) throw unknown();
      return parsed(row.body);
    },
    publishedIds: catalogue.ids,

    async changeProperties(properties, scope, by) {
      const keys = await catalogue.called(properties.title);
      if (keys.length === 0) throw unknown();
      await database.transact(async (tx) => {
        for (const key of keys) {
          await writeProperties(tx, {
            id_key: key,
            ...scope,
            properties: JSON.stringify(properties),
            changed: clock.now(),
          });
          const detail = `for ${scope.cluster || 'every cluster'}, ${scope.pda || 'every PDA'}`;
          await audit.note(tx, { who: by, what: 'application.properties-changed', subject: key, detail });
        }
        await turnCatalogue(tx, randomUUID());
      });
      catalogue.changed();
      return keys.length;
    },

    publishWithin,

    register: (application, { developer = OPERATOR, publish, by }) =>
      database.transact(async (tx) => {
        const before = await lockApplication(tx, keyOf(application.id));
        if (publish) {
          const shown = { ...application, info: { ...application.info, published: true } };
          // The same file once more changes nothing.
          if (
            before !== undefined &&
            isPublic(before) &&
            isSame(before.public_body, textOf(shown, developer.name, true))
          )
            return;
          await publishNow(tx, shown, developer, before);
          const detail = `version ${application.info.version}`;
          await audit.note(tx, { who: by, what: 'application.published', subject: application.id, detail });
          return;
        }
        const draft =
          before === undefined
            ? await insertDraft(tx, application, developer)
            : await writeDraft(tx, await own(tx, application.id, developer), application);
        await note(tx, 'submitted', await take(tx, draft, submitted(standingOf(draft))), by);
      }),
  };
};
