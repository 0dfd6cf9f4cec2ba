import type { z } from 'zod';
import { isoTime, type Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createKept } from '../../platform/kept.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Principal } from '../../platform/principal.ts';
import { hasRole } from '../../platform/service-access.ts';
import { withTag, type Tagged } from '../../platform/tagged.ts';
import type { Application } from '../../wire/applications.ts';
import type { DataPlug, dataPlugChangeSchema, newDataPlugSchema } from '../../wire/data-plugs.ts';
import type { AccountService } from '../accounts/service.ts';
import type { PdaService } from '../pdas/service.ts';
import type { Audit, Database, Tx } from '../storage/index.ts';
import { applicationOf, maySee, maySeeHash, OWNER_CHANGES, type Viewer } from './rules.ts';
import { changePlug, insertPlug, listPlugs, lockPlug, type PlugRow } from './store.ts';

type NewDataPlug = z.output<typeof newDataPlugSchema>;
type DataPlugChange = z.output<typeof dataPlugChangeSchema>;

/** Makes or changes the application of a plug, in the transaction that changes the plug. @throws Failure already_exists when somebody else has that id */
export type PublishWithin = (
  tx: Tx,
  application: Application,
  owner: { accountId: string; name: string },
  options: { staysSuspended: boolean },
) => Promise<void>;

const viewerOf = (principal: Principal): Viewer => {
  if (principal.kind === 'pda') return { kind: 'pda' };
  if (hasRole(principal, 'administrator')) return { kind: 'administrator' };
  return { kind: 'account', accountId: principal.kind === 'account' ? principal.accountId : '' };
};

const toPlug = (row: PlugRow, viewer: Viewer): DataPlug => ({
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

const unknownPlug = (): Failure => new Failure('not_found', 'There is no Data Plug with this id.');

export const createPlugService = (parts: {
  database: Database;
  audit: Audit;
  accounts: Pick<AccountService, 'find' | 'findByName'>;
  pdas: Pick<PdaService, 'findAt'>;
  publishWithin: PublishWithin;
  clock: Clock;
}) => {
  const { database, audit, accounts, pdas, publishWithin, clock } = parts;

  /** Public as long as the plug is approved. What the operator has suspended only the operator brings back. */
  const publish = async (tx: Tx, row: PlugRow, ownerName: string, viewer: Viewer): Promise<void> => {
    const application = applicationOf({
      ...toPlug(row, { kind: 'administrator' }),
      namespace: row.namespace,
      edition: row.edition,
      ownerName,
      isPublic: row.approved,
    });
    const owner = { accountId: row.owner, name: ownerName };
    await publishWithin(tx, application, owner, { staysSuspended: viewer.kind !== 'administrator' });
  };

  const listFor = async (viewer: Viewer): Promise<Tagged> => {
    const rows = await database.read(listPlugs);
    return withTag(JSON.stringify(rows.filter((row) => maySee(row, viewer)).map((row) => toPlug(row, viewer))));
  };
  // Every PDA asks for the same again and again.
  const forPdas = createKept(clock, () => listFor({ kind: 'pda' }));
  /** What is written here is seen here at once, by other processes within a second. */
  const write = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    const result = await database.transact(work);
    forPdas.forget();
    return result;
  };

  return {
    /** JSON of `DataPlug`s by name. */
    list(principal: Principal): Promise<Tagged> {
      const viewer = viewerOf(principal);
      return viewer.kind === 'pda' ? forPdas.get() : listFor(viewer);
    },

    /** @throws Failure already_exists | invalid_input */
    async register(plug: NewDataPlug, by: string): Promise<DataPlug> {
      const now = clock.now();
      return write(async (tx) => {
        const owner = await accounts.findByName(tx, plug.owner);
        if (owner === undefined || !owner.roles.includes('dataPlug')) {
          const cause = `There is no account ${plug.owner} with the role dataPlug.`;
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
          throw new Failure('already_exists', `There is a Data Plug ${plug.name} already. Nothing was registered.`);
        await publish(tx, row, owner.name, { kind: 'administrator' });
        const detail = `for ${owner.name}, writes ${row.namespace}${row.approved ? ', approved' : ''}`;
        await audit.note(tx, { who: by, what: 'plug.registered', subject: row.name, detail });
        return toPlug(row, { kind: 'administrator' });
      });
    },

    /** @throws Failure not_found | forbidden */
    change(id: string, change: DataPlugChange, principal: Principal & { name: string }): Promise<DataPlug> {
      const viewer = viewerOf(principal);
      return write(async (tx) => {
        const before = await lockPlug(tx, id);
        if (before === undefined || !maySee(before, viewer)) throw unknownPlug();
        if (!maySeeHash(before, viewer)) throw new Failure('forbidden', 'This Data Plug belongs to somebody else.');
        const reserved = Object.keys(change).filter((field) => !OWNER_CHANGES.includes(field));
        if (viewer.kind !== 'administrator' && reserved.length > 0)
          throw new Failure('forbidden', `Only an administrator changes ${reserved.join(' and ')}.`);
        const after: PlugRow = {
          ...before,
          description: change.description ?? before.description,
          url: change.url ?? before.url,
          illustration_url: change.illustrationUrl ?? before.illustration_url,
          password_hash: change.passwordHash ?? before.password_hash,
          approved: change.approved ?? before.approved,
          // Once the approval is gone its owner says anew that it runs.
          connected: before.connected && (change.approved ?? before.approved),
          edition: before.edition + 1,
        };
        await changePlug(tx, id, after);
        const owner = await accounts.find(tx, after.owner);
        await publish(tx, after, owner?.name ?? '', viewer);
        const detail = Object.entries(change).map(([field, value]) =>
          field === 'approved' ? (value === true ? 'approved' : 'not approved') : field,
        );
        await audit.note(tx, {
          who: principal.name,
          what: 'plug.changed',
          subject: after.name,
          detail: detail.join(', '),
        });
        return toPlug(after, viewer);
      });
    },

    /** Its owner says that it runs. @throws Failure not_found | forbidden | wrong_state */
    connect(id: string, pda: string | undefined, principal: Principal & { name: string }): Promise<string> {
      const viewer = viewerOf(principal);
      return write(async (tx) => {
        const row = await lockPlug(tx, id);
        if (row === undefined || !maySee(row, viewer)) throw unknownPlug();
        if (principal.kind !== 'account' || row.owner !== principal.accountId)
          throw new Failure('forbidden', 'Only the owner of a Data Plug connects it.');
        if (!row.approved) throw new Failure('wrong_state', 'This Data Plug is not approved.');
        if (pda !== undefined && (await pdas.findAt(tx, pda)) === undefined)
          throw new Failure('not_found', 'No PDA with this address is registered here.');
        if (!row.connected) {
          await changePlug(tx, id, { connected: true });
          await audit.note(tx, { who: principal.name, what: 'plug.connected', subject: row.name });
        }
        const where = pda === undefined ? '' : ` ${pda} is registered and can set it up.`;
        return `The Data Plug ${row.name} has been connected.${where}`;
      });
    },
  };
};

export type PlugService = ReturnType<typeof createPlugService>;
