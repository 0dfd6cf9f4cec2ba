import { compare } from 'semver';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Application } from '../../wire/applications.ts';
import type { ApplicationProperties, ListedApplication } from '../../wire/exchange.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Audit, Database, Db, Tx } from '../storage/index.ts';
import type { TextWithEtag } from '../../platform/http/response/etag.ts';
import { createCatalogue, type CatalogueQuery } from './catalogue.ts';
import {
  displayedState,
  idKeyOf,
  publishSubmitted,
  reviseDraft,
  isSameApplication,
  parseApplication,
  submitDraft,
  suspendPublished,
  toStoredApplication,
  versionAbove,
  type PropertiesScope,
  type PublicationState,
} from './rules.ts';
import {
  countUnpublished,
  deleteDraft,
  findApplication,
  insertApplication,
  isPublic,
  listApplications,
  listVersions,
  lockApplication,
  saveProperties,
  saveVersion,
  setCatalogueVersion,
  stateOf,
  updateApplication,
  type ApplicationFilter,
  type ApplicationRow,
} from './store.ts';

export type Developer = { accountId: string; name: string };

/** Developer of applications that the operator registers without an account. */
const OPERATOR: Developer = { accountId: '00000000-0000-0000-0000-000000000000', name: 'operator' };

/** Length as JSON. Limited because every PDA downloads all applications. */
const APPLICATION_MAX_CHARS = 200_000;
const UNPUBLISHED_MAX = 100;
const PAGE_ROWS = 200;

export type ApplicationService = ReturnType<typeof createApplicationService>;

/**
 * Returns the time of a change, which is unique to the change: an administrator names it to publish what was reviewed,
 * and the clock may have been set back since, or differ between processes.
 */
const timeOfChange = (row: ApplicationRow, now: number): number => Math.max(now, row.changed + 1);

const notFoundFailure = (): Failure => new Failure('not_found', 'This application does not exist.');

export const createApplicationService = (parts: {
  database: Database;
  audit: Audit;
  accounts: Pick<AccountService, 'lockWithin'>;
  clock: Clock;
}) => {
  const { database, audit, accounts, clock } = parts;
  const catalogue = createCatalogue(parts);

  const serialize = (application: Application, developer: string, isPublished = false): string => {
    const text = JSON.stringify(toStoredApplication(application, developer, isPublished));
    if (text.length > APPLICATION_MAX_CHARS)
      throw new Failure('too_large', `The application exceeds ${APPLICATION_MAX_CHARS} characters.`);
    return text;
  };

  const toListedApplications = async (db: Db, rows: readonly ApplicationRow[]): Promise<ListedApplication[]> => {
    const versions = await listVersions(
      db,
      rows.map((row) => row.id_key),
    );
    return rows.map((row) => ({
      application: parseApplication(row.body),
      developer: row.developer,
      state: displayedState(stateOf(row)),
      created: row.created,
      changed: row.changed,
      versions: (versions.get(row.id_key) ?? []).toSorted((a, b) => compare(a.version, b.version)),
    }));
  };
  const toListedApplication = async (db: Db, row: ApplicationRow): Promise<ListedApplication> => {
    const [application] = await toListedApplications(db, [row]);
    if (application === undefined) throw notFoundFailure();
    return application;
  };

  const lockOwned = async (tx: Tx, id: string, developer: Developer): Promise<ApplicationRow> => {
    const row = await lockApplication(tx, idKeyOf(id));
    if (row === undefined) throw notFoundFailure();
    if (row.account_id === developer.accountId) return row;
    // Do not reveal that an application exists if it is not public.
    throw isPublic(row) ? new Failure('forbidden', 'This application belongs to another account.') : notFoundFailure();
  };

  const insertDraft = async (tx: Tx, application: Application, developer: Developer): Promise<ApplicationRow> => {
    const now = clock.now();
    const { version } = application.info;
    const body = serialize(application, developer.name);
    const row: ApplicationRow = {
      id_key: idKeyOf(application.id),
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
    if (!(await insertApplication(tx, row)))
      throw new Failure('already_exists', 'An application with this id already exists. Ids are not case-sensitive.');
    await saveVersion(tx, { id_key: row.id_key, version, body, created: now, published: null });
    return row;
  };

  const updateDraft = async (tx: Tx, row: ApplicationRow, application: Application): Promise<ApplicationRow> => {
    const now = clock.now();
    const { version } = application.info;
    const { state } = reviseDraft(stateOf(row), version, row.public_version);
    // Keeps the original spelling of the id, which PDAs have stored.
    const body = serialize({ ...application, id: row.id }, row.developer);
    if (row.version !== version) await deleteDraft(tx, row.id_key, row.version);
    await saveVersion(tx, { id_key: row.id_key, version, body, created: now, published: null });
    const updatedRow: ApplicationRow = { ...row, state, version, body, changed: timeOfChange(row, now) };
    await updateApplication(tx, updatedRow);
    return updatedRow;
  };

  const applyState = async (tx: Tx, row: ApplicationRow, newState: PublicationState): Promise<ApplicationRow> => {
    const now = clock.now();
    const isNewPublication = newState.publicVersion !== row.public_version;
    const publicBody = isNewPublication ? serialize(parseApplication(row.body), row.developer, true) : row.public_body;
    if (isNewPublication) {
      const { id_key, version, body } = row;
      await saveVersion(tx, { id_key, version, body, created: now, published: now });
    }
    const updatedRow: ApplicationRow = {
      ...row,
      state: newState.state,
      suspended: newState.suspended,
      // The developer reads `body`, so it is marked as published too.
      body: isNewPublication && publicBody !== null ? publicBody : row.body,
      public_version: newState.publicVersion,
      public_body: publicBody,
      changed: timeOfChange(row, now),
    };
    await updateApplication(tx, updatedRow);
    if (isPublic(row) || isPublic(updatedRow)) await setCatalogueVersion(tx, randomUUID());
    return updatedRow;
  };

  const writeAudit = (tx: Tx, action: string, row: ApplicationRow, actor: string): Promise<void> =>
    audit.note(tx, { actor, action: `application.${action}`, subject: row.id, detail: `version ${row.version}` });

  const decide = async (
    id: string,
    actor: string,
    decision: 'published' | 'suspended',
    reviewedChange?: number,
  ): Promise<ListedApplication> => {
    const application = await database.transact(async (tx) => {
      const row = await lockApplication(tx, idKeyOf(id));
      if (row === undefined) throw notFoundFailure();
      if (reviewedChange !== undefined && reviewedChange !== row.changed)
        throw new Failure('wrong_state', 'The application was changed after your review. Review it again.');
      const state = stateOf(row);
      const newState = decision === 'published' ? publishSubmitted(state) : suspendPublished(state);
      if (JSON.stringify(newState) === JSON.stringify(state)) return toListedApplication(tx, row);
      const updatedRow = await applyState(tx, row, newState);
      await writeAudit(tx, decision, updatedRow, actor);
      return toListedApplication(tx, updatedRow);
    });
    catalogue.invalidate();
    return application;
  };

  /**
   * Creates or changes an application without review. Publishes it if it is marked as `published`; otherwise suspends
   * it if it is public.
   */
  const applyWithoutReview = async (
    tx: Tx,
    application: Application,
    developer: Developer,
    existing: ApplicationRow | undefined,
    staysSuspended = false,
  ): Promise<void> => {
    if (existing !== undefined && existing.account_id !== developer.accountId)
      throw new Failure('already_exists', 'An application of another account has this id.');
    const draft =
      existing === undefined
        ? await insertDraft(tx, application, developer)
        : await updateDraft(tx, existing, application);
    const state = stateOf(draft);
    if (application.info.published) {
      const publishedState = publishSubmitted(submitDraft(state));
      await applyState(tx, draft, { ...publishedState, suspended: staysSuspended && state.suspended });
    } else if (isPublic(draft)) await applyState(tx, draft, suspendPublished(state));
  };

  /**
   * Calls `applyWithoutReview` in the transaction of another module, with a version above the published one. The other
   * module writes the audit log and calls `invalidateCatalogue`.
   * @throws Failure already_exists | too_large
   */
  const publishWithin = async (
    tx: Tx,
    application: Application,
    developer: Developer,
    options?: { staysSuspended: boolean },
  ): Promise<void> => {
    const existing = await lockApplication(tx, idKeyOf(application.id));
    const publicVersion = existing?.public_version ?? null;
    const { info } = application;
    // The developer may have published a version above that of the calling module.
    const version = publicVersion === null ? info.version : versionAbove(info.version, publicVersion);
    const numberedApplication = { ...application, info: { ...info, version } };
    await applyWithoutReview(tx, numberedApplication, developer, existing, options?.staysSuspended);
  };

  /** Lists the newest versions, including drafts. @param accountId undefined: applications of all accounts */
  const listNewest = async (query: CatalogueQuery, accountId: string | undefined): Promise<Application[]> => {
    const { kind, startId, limit = Number.POSITIVE_INFINITY } = query;
    const matches: [string, Application][] = [];
    let after: string | undefined;
    for (;;) {
      const rows = await database.run((db) => listApplications(db, { take: PAGE_ROWS, accountId, after }));
      for (const row of rows) {
        const application = parseApplication(row.body);
        const isInRange = startId === undefined || row.id_key >= idKeyOf(startId);
        if (isInRange && (kind ?? application.kind.kind) === application.kind.kind)
          matches.push([row.id_key, application]);
      }
      after = rows.at(-1)?.id_key;
      if (rows.length < PAGE_ROWS) break;
    }
    const sortedMatches = matches.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return sortedMatches.slice(0, limit).map(([, application]) => application);
  };

  return {
    /** @throws Failure already_exists | too_large | wrong_state */
    create: (application: Application, developer: Developer): Promise<ListedApplication> =>
      database.transact(async (tx) => {
        await accounts.lockWithin(tx, developer.accountId);
        if ((await countUnpublished(tx, developer.accountId)) >= UNPUBLISHED_MAX)
          throw new Failure(
            'wrong_state',
            `You already have ${UNPUBLISHED_MAX} unpublished applications. Wait until one of them is published.`,
          );
        const row = await insertDraft(tx, application, developer);
        await writeAudit(tx, 'created', row, developer.name);
        return toListedApplication(tx, row);
      }),

    /**
     * Changes the draft, or starts the draft of a newer version.
     * @throws Failure not_found | forbidden | wrong_state | too_large
     */
    change: (id: string, application: Application, developer: Developer): Promise<ListedApplication> =>
      database.transact(async (tx) => {
        const row = await updateDraft(tx, await lockOwned(tx, id, developer), application);
        await writeAudit(tx, 'changed', row, developer.name);
        return toListedApplication(tx, row);
      }),

    /** Submits the draft for review. @throws Failure not_found | forbidden | wrong_state */
    submit: (id: string, developer: Developer): Promise<ListedApplication> =>
      database.transact(async (tx) => {
        const row = await lockOwned(tx, id, developer);
        const newState = submitDraft(stateOf(row));
        if (row.state === newState.state) return toListedApplication(tx, row);
        const updatedRow = await applyState(tx, row, newState);
        await writeAudit(tx, 'submitted', updatedRow, developer.name);
        return toListedApplication(tx, updatedRow);
      }),

    /**
     * Publishes the submitted version, or lifts a suspension.
     * @param reviewedChange `changed` of the reviewed application, which must not have changed since
     * @throws Failure not_found | wrong_state
     */
    publish: (id: string, actor: string, reviewedChange?: number): Promise<ListedApplication> =>
      decide(id, actor, 'published', reviewedChange),
    /** @throws Failure not_found | wrong_state */
    suspend: (id: string, actor: string): Promise<ListedApplication> => decide(id, actor, 'suspended'),

    list: (filter: ApplicationFilter): Promise<ListedApplication[]> =>
      database.run(async (db) => toListedApplications(db, await listApplications(db, filter))),

    listPublished: catalogue.list,
    /** @throws Failure not_found */
    async getPublished(id: string, address: string | null): Promise<TextWithEtag> {
      const response = await catalogue.get(id, address);
      if (response === undefined) throw notFoundFailure();
      return response;
    },
    listNewest,
    /** @throws Failure not_found */
    async getNewest(id: string, accountId: string | undefined): Promise<Application> {
      const row = await database.run((db) => findApplication(db, idKeyOf(id)));
      if (row === undefined || (accountId !== undefined && row.account_id !== accountId)) throw notFoundFailure();
      return parseApplication(row.body);
    },
    listPublishedIdKeys: catalogue.listIdKeys,

    /**
     * Changes how applications are presented to the readers in `scope`. This concerns the application whose id is
     * `properties.title` or, if there is none, all applications with this name.
     * @throws Failure not_found if no published application has this id or name
     */
    async changeProperties(properties: ApplicationProperties, scope: PropertiesScope, actor: string): Promise<void> {
      const keys = await catalogue.findIdKeys(properties.title);
      if (keys.length === 0) throw notFoundFailure();
      await database.transact(async (tx) => {
        for (const key of keys) {
          const row = { id_key: key, ...scope, properties: JSON.stringify(properties) };
          await saveProperties(tx, { ...row, changed: clock.now() });
          const detail = `for ${scope.cluster || 'every cluster'}, ${scope.pda || 'every PDA'}`;
          await audit.note(tx, { actor, action: 'application.properties-changed', subject: key, detail });
        }
        await setCatalogueVersion(tx, randomUUID());
      });
      catalogue.invalidate();
    },

    publishWithin,
    invalidateCatalogue: catalogue.invalidate,

    /**
     * Creates or changes an application from the command line, and publishes it or submits it for review. Publishing an
     * unchanged public application has no effect.
     * @throws Failure already_exists | wrong_state | too_large | forbidden | not_found
     */
    async register(
      application: Application,
      { developer = OPERATOR, publish, actor }: { developer?: Developer | undefined; publish: boolean; actor: string },
    ): Promise<void> {
      await database.transact(async (tx) => {
        const existing = await lockApplication(tx, idKeyOf(application.id));
        if (publish) {
          const publishedApplication = { ...application, info: { ...application.info, published: true } };
          if (
            existing !== undefined &&
            isPublic(existing) &&
            isSameApplication(existing.public_body, serialize(publishedApplication, developer.name, true))
          )
            return;
          await applyWithoutReview(tx, publishedApplication, developer, existing);
          const detail = `version ${application.info.version}`;
          await audit.note(tx, { actor, action: 'application.published', subject: application.id, detail });
          return;
        }
        const draft =
          existing === undefined
            ? await insertDraft(tx, application, developer)
            : await updateDraft(tx, await lockOwned(tx, application.id, developer), application);
        await writeAudit(tx, 'submitted', await applyState(tx, draft, submitDraft(stateOf(draft))), actor);
      });
      catalogue.invalidate();
    },
  };
};
