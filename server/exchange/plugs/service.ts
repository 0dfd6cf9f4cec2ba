import type { z } from 'zod';
import { isoTime, type Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createSingleFlightCache } from '../../platform/async/single-flight-cache.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Principal } from '../../platform/auth/principal.ts';
import { hasRole } from '../../platform/service/authorization.ts';
import { withEtag, type TextWithEtag } from '../../platform/http/response/etag.ts';
import type { DataPlug, dataPlugChangeSchema, newDataPlugSchema } from '../../wire/data-plugs.ts';
import type { AccountService } from '../accounts/service.ts';
import type { ApplicationService } from '../applications/service.ts';
import type { PdaService } from '../pdas/service.ts';
import type { Audit, Database, Tx } from '../storage/index.ts';
import { applicationOf, maySeePlug, maySeeHash, OWNER_FIELDS, type PlugViewer } from './rules.ts';
import { changePlug, insertPlug, listPlugs, lockPlug, type PlugRow } from './store.ts';

type NewDataPlug = z.output<typeof newDataPlugSchema>;
type DataPlugChange = z.output<typeof dataPlugChangeSchema>;

const viewerOf = (principal: Principal): PlugViewer => {
  if (principal.kind === 'pda') return { kind: 'pda' };
  if (hasRole(principal, 'administrator')) return { kind: 'administrator' };
  return { kind: 'account', accountId: principal.kind === 'account' ? principal.accountId : '' };
};

const isOwner = (row: PlugRow, principal: Principal): boolean =>
  principal.kind === 'account' && principal.accountId === row.owner;

const toPlug = (row: PlugRow, viewer: PlugViewer): DataPlug => ({
  uuid: row.id,
  providerId: row.owner,
  created: isoTime(row.created),
  name: row.name,
  description: row.description,
  url: row.url,
  illustrationUrl: row.illustration_url,
  ...(maySeeHash(row, viewer) ? { passwordHash: row.password_hash } : {}),
  approved: row.approved,
  connected: row.connected,
  applicationId: row.name_key,
});

const unknownPlugFailure = (): Failure => new Failure('not_found', 'This Data Plug does not exist.');

export const createPlugService = (parts: {
  database: Database;
  audit: Audit;
  accounts: Pick<AccountService, 'find' | 'findByName'>;
  pdas: Pick<PdaService, 'findAt'>;
  applications: Pick<ApplicationService, 'publishWithin' | 'invalidateCatalogue'>;
  clock: Clock;
}) => {
  const { database, audit, accounts, pdas, applications, clock } = parts;

  /**
   * Creates or updates the plug's application, which is public while the plug is approved, unless the application is
   * suspended. Only administrators can lift a suspension.
   */
  const saveApplication = async (tx: Tx, row: PlugRow, ownerName: string, viewer: PlugViewer): Promise<void> => {
    const application = applicationOf({
      ...toPlug(row, { kind: 'administrator' }),
      namespace: row.namespace,
      edition: row.edition,
      ownerName,
      isPublic: row.approved,
    });
    const owner = { accountId: row.owner, name: ownerName };
    await applications.publishWithin(tx, application, owner, { staysSuspended: viewer.kind !== 'administrator' });
  };

  const listFor = async (viewer: PlugViewer): Promise<TextWithEtag> => {
    const rows = await database.run(listPlugs);
    return withEtag(JSON.stringify(rows.filter((row) => maySeePlug(row, viewer)).map((row) => toPlug(row, viewer))));
  };
  // All PDAs poll the same list.
  const pdaList = createSingleFlightCache(clock, () => listFor({ kind: 'pda' }));
  /** Runs a transaction and clears this process's caches. Other processes see the change when their caches expire. */
  const write = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    const result = await database.transact(work);
    pdaList.forget();
    applications.invalidateCatalogue();
    return result;
  };

  return {
    /** Returns the visible Data Plugs as a JSON array, ordered by name. */
    list(principal: Principal): Promise<TextWithEtag> {
      const viewer = viewerOf(principal);
      return viewer.kind === 'pda' ? pdaList.get() : listFor(viewer);
    },

    /** @throws Failure already_exists | invalid_input */
    async register(plug: NewDataPlug, actor: string): Promise<DataPlug> {
      const now = clock.now();
      return write(async (tx) => {
        const owner = await accounts.findByName(tx, plug.owner);
        if (owner === undefined || !owner.roles.includes('dataPlug')) {
          const cause = `No account ${plug.owner} with the role dataPlug exists.`;
          throw new Failure('invalid_input', cause, { details: [{ path: 'body.owner', problem: cause }] });
        }
        const row: PlugRow = {
          id: uuidV7(now),
          owner: owner.userId,
          created: now,
          name: plug.name,
          name_key: plug.name.toLowerCase(),
          description: plug.description,
          url: plug.url,
          illustration_url: plug.illustrationUrl,
          password_hash: plug.passwordHash,
          namespace: plug.namespace ?? plug.name.toLowerCase(),
          approved: plug.approved,
          connected: false,
          edition: 0,
        };
        if (!(await insertPlug(tx, row)))
          throw new Failure('already_exists', `The Data Plug ${plug.name} already exists.`);
        await saveApplication(tx, row, owner.name, { kind: 'administrator' });
        const detail = `for ${owner.name}, writes ${row.namespace}${row.approved ? ', approved' : ''}`;
        await audit.note(tx, { actor, action: 'plug.registered', subject: row.name, detail });
        return toPlug(row, { kind: 'administrator' });
      });
    },

    /** @throws Failure not_found | forbidden | already_exists */
    change(id: string, change: DataPlugChange, principal: Principal & { name: string }): Promise<DataPlug> {
      const viewer = viewerOf(principal);
      return write(async (tx) => {
        const existing = await lockPlug(tx, id);
        if (existing === undefined || !maySeePlug(existing, viewer)) throw unknownPlugFailure();
        if (viewer.kind !== 'administrator' && !isOwner(existing, principal))
          throw new Failure('forbidden', 'This Data Plug belongs to another account.');
        const reservedFields = Object.keys(change).filter((field) => !OWNER_FIELDS.includes(field));
        if (viewer.kind !== 'administrator' && reservedFields.length > 0)
          throw new Failure('forbidden', `Only an administrator may change ${reservedFields.join(' and ')}.`);
        const updatedRow: PlugRow = {
          ...existing,
          description: change.description ?? existing.description,
          url: change.url ?? existing.url,
          illustration_url: change.illustrationUrl ?? existing.illustration_url,
          password_hash: change.passwordHash ?? existing.password_hash,
          approved: change.approved ?? existing.approved,
          // After a new approval, the owner must connect the plug again.
          connected: existing.connected && (change.approved ?? existing.approved),
          edition: existing.edition + 1,
        };
        await changePlug(tx, id, updatedRow);
        const owner = await accounts.find(tx, updatedRow.owner);
        await saveApplication(tx, updatedRow, owner?.name ?? '', viewer);
        const detail = Object.entries(change).map(([field, value]) =>
          field === 'approved' ? (value === true ? 'approved' : 'not approved') : field,
        );
        const note = { action: 'plug.changed', subject: updatedRow.name, detail: detail.join(', ') };
        await audit.note(tx, { actor: principal.name, ...note });
        return toPlug(updatedRow, viewer);
      });
    },

    /**
     * Marks a plug as connected, which only its owner may do.
     * @param pda address of a PDA, which must be registered
     * @returns the message for the owner
     * @throws Failure not_found | forbidden | wrong_state
     */
    connect(id: string, pda: string | undefined, principal: Principal & { name: string }): Promise<string> {
      const viewer = viewerOf(principal);
      return write(async (tx) => {
        const row = await lockPlug(tx, id);
        if (row === undefined || !maySeePlug(row, viewer)) throw unknownPlugFailure();
        if (!isOwner(row, principal)) throw new Failure('forbidden', 'Only the owner of a Data Plug may connect it.');
        if (!row.approved)
          throw new Failure('wrong_state', 'This Data Plug is not approved. Ask the operator of the exchange.');
        if (pda !== undefined && (await pdas.findAt(tx, pda)) === undefined)
          throw new Failure('not_found', 'No PDA with this address is registered.');
        if (!row.connected) {
          await changePlug(tx, id, { connected: true });
          await audit.note(tx, { actor: principal.name, action: 'plug.connected', subject: row.name });
        }
        const pdaNote = pda === undefined ? '' : ` ${pda} is registered and can set it up.`;
        return `The Data Plug ${row.name} has been connected.${pdaNote}`;
      });
    },
  };
};

export type PlugService = ReturnType<typeof createPlugService>;
