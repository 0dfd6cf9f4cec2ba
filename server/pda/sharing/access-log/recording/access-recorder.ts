import { z } from 'zod';
import type { AccessEvent, ReportBytesSent } from '../../../../platform/http/access-recorder.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type { OwnerNote } from '../../../identity/owner/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { Consent, LedgerEntry, LedgerService, Party } from '../service.ts';
import type { Refusals } from './refusals.ts';

/** Calls without a token that is good: they are not told apart by what they asked for. */
const WITHOUT_TOKEN = 'call without a valid token';

const partyOf = (principal: Principal, personName: (userId: string) => string): Party => {
  switch (principal.kind) {
    case 'user':
      return { kind: 'user', name: principal.userId, person: personName(principal.userId) };
    case 'application':
      return { kind: 'application', name: principal.application };
    case 'contract':
      return { kind: 'contract', name: principal.contract };
    case 'offer':
      return { kind: 'offer', name: principal.offer };
    case 'owner':
    case 'exchange':
    case 'visitor':
      return { kind: principal.kind, name: '' };
    case 'account':
    case 'pda':
      throw new Error(`no PDA lets in a caller of the kind ${principal.kind}`);
  }
};

/** Who did something to the account, when it was not the owner. */
const partyBy = (by: NonNullable<OwnerNote['by']>): Party => {
  switch (by.kind) {
    case 'user':
      return { kind: 'user', name: by.userId, person: by.name };
    case 'application':
      return { kind: 'application', name: by.application };
    case 'offer':
      return { kind: 'offer', name: by.offer };
  }
};

const endpointParams = z.object({ namespace: z.string(), endpoint: z.string() });

/** The endpoint in a call's address. */
const endpointIn = (params: unknown): string | undefined => {
  const found = endpointParams.safeParse(params);
  return found.success ? `${found.data.namespace}/${found.data.endpoint}` : undefined;
};

/** Changes that need a session: who tried one in vain is the owner, or has the owner's token. */
const OWNERS_CHANGES: ReadonlySet<OwnerNote['action']> = new Set([
  'password-change',
  'second-factor-change',
  'erasure',
]);

/** Account events such as sign-ins. A refused attempt is logged as anonymous unless it needs a session. */
export const createAccountNotes = (parts: { ledger: Pick<LedgerService, 'record' | 'write'>; refusals: Refusals }) => {
  const { ledger, refusals } = parts;
  return (tx: Transaction | undefined, note: OwnerNote): Promise<void> | void => {
    const { action, status, reason, address, by } = note;
    if (reason !== null && !OWNERS_CHANGES.has(action)) {
      refusals.count({ action, status, reason }, address);
      return undefined;
    }
    const who: Party = by === undefined ? { kind: 'owner', name: '' } : partyBy(by);
    const entry = { who, action, status, reason, consent: null, records: new Map(), fields: null, bytes: 0, address };
    if (tx === undefined) return ledger.write(entry).then(() => undefined);
    ledger.record(tx, entry);
    return undefined;
  };
};

/** The row of each call by anybody but the owner, on the disk before the answer leaves. */
export const createAccessRecorder = (parts: {
  ledger: LedgerService;
  refusals: Refusals;
  /** The version of an application that the owner approved; empty when there is none. */
  approvedVersion: (application: string) => string;
  /** What a person is called who has an account here. */
  personName: (userId: string) => string;
  log: Log;
}) => {
  const { ledger, refusals, approvedVersion, personName, log } = parts;

  /** The principal's own rights as the consent, when no other permission applies. */
  const ownConsent = (principal: Principal): Consent | null => {
    if (principal.kind === 'application')
      return { kind: 'application', name: principal.application, detail: approvedVersion(principal.application) };
    return principal.kind === 'contract' ? { kind: 'contract', name: principal.contract, detail: '' } : null;
  };

  const entryOf = ({ route, params, caller, status, error, bytes }: AccessEvent): LedgerEntry => {
    const { principal, trace, address } = caller;
    const call = { who: partyOf(principal, personName), action: `${route.method} ${route.path}`, status, address };
    const asked = endpointIn(params);
    // Whatever a refused call had got together stayed here; where it knocked is worth knowing.
    if (error !== null) {
      const records = new Map<string, number[]>(asked === undefined ? [] : [[asked, []]]);
      return { ...call, reason: error, consent: trace.consent, records, fields: null, bytes: 0 };
    }
    if (asked !== undefined && !trace.records.has(asked)) trace.records.set(asked, []);
    return {
      ...call,
      reason: null,
      consent: trace.consent ?? ownConsent(principal),
      records: trace.records,
      fields: trace.fields,
      bytes,
      ...(trace.gone === null ? {} : { gone: trace.gone }),
      unnamed: trace.unnamed,
    };
  };

  return async (access: AccessEvent): Promise<ReportBytesSent | undefined> => {
    const { caller, status, error } = access;
    if (caller.principal.kind === 'visitor') {
      refusals.count({ action: WITHOUT_TOKEN, status, reason: error ?? 'not_authenticated' }, caller.address);
      return undefined;
    }
    if (error !== null) {
      await refusals.note({ ...entryOf(access), reason: error });
      return undefined;
    }
    const row = await ledger.write(entryOf(access));
    return (streamed) => {
      ledger.complete(row, streamed).catch((late: unknown) => {
        log.warn({ err: late, row }, 'the bytes of an answer were not written down');
      });
    };
  };
};
