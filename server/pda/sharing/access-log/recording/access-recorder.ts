import { z } from 'zod';
import type { AccessEvent, ReportBytesSent } from '../../../../platform/http/access-recorder.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type { AccountEvent } from '../../../identity/owner/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { Consent, AccessLogEntry, AccessLogService, LoggedPrincipal } from '../service.ts';
import type { Refusals } from './refusals.ts';

/** Requests without a valid token are counted together, regardless of the route. */
const ACTION_WITHOUT_TOKEN = 'call without a valid token';

const loggedPrincipalOf = (principal: Principal, userNameOf: (userId: string) => string): LoggedPrincipal => {
  switch (principal.kind) {
    case 'user':
      return { kind: 'user', name: principal.userId, person: userNameOf(principal.userId) };
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
      throw new Error(`unexpected principal of kind ${principal.kind}`);
  }
};

const actorOf = (by: NonNullable<AccountEvent['by']>): LoggedPrincipal => {
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

const endpointFromParams = (params: unknown): string | undefined => {
  const result = endpointParams.safeParse(params);
  return result.success ? `${result.data.namespace}/${result.data.endpoint}` : undefined;
};

/** Account actions whose refusal is attributed to the owner, because they need an owner session. */
const SESSION_ACTIONS: ReadonlySet<AccountEvent['action']> = new Set([
  'password-change',
  'second-factor-change',
  'erasure',
  'export-all',
]);

export const createAccountRecorder = (parts: {
  ledger: Pick<AccessLogService, 'record' | 'write'>;
  refusals: Refusals;
}) => {
  const { ledger, refusals } = parts;
  return (tx: Transaction | undefined, event: AccountEvent): Promise<void> | void => {
    const { action, status, reason, address, by } = event;
    if (reason !== null && !SESSION_ACTIONS.has(action)) {
      refusals.count({ action, status, reason }, address);
      return undefined;
    }
    const who: LoggedPrincipal = by === undefined ? { kind: 'owner', name: '' } : actorOf(by);
    const entry = { who, action, status, reason, consent: null, records: new Map(), fields: null, bytes: 0, address };
    if (tx === undefined) return ledger.write(entry).then(() => undefined);
    ledger.record(tx, entry);
    return undefined;
  };
};

/**
 * Logs each recorded request before its response is sent. Requests without a valid token are only counted, and the
 * counts are logged within seconds.
 */
export const createAccessRecorder = (parts: {
  ledger: AccessLogService;
  refusals: Refusals;
  /** Returns an empty string if the owner approved no version. */
  approvedVersion: (application: string) => string;
  userNameOf: (userId: string) => string;
  log: Log;
}) => {
  const { ledger, refusals, approvedVersion, userNameOf, log } = parts;

  /** Returns the consent for requests that use only the principal's own rights. */
  const ownConsent = (principal: Principal): Consent | null => {
    if (principal.kind === 'application')
      return { kind: 'application', name: principal.application, detail: approvedVersion(principal.application) };
    return principal.kind === 'contract' ? { kind: 'contract', name: principal.contract, detail: '' } : null;
  };

  const entryOf = ({ route, params, caller, status, error, bytes }: AccessEvent): AccessLogEntry => {
    const { principal, trace, address } = caller;
    const request = {
      who: loggedPrincipalOf(principal, userNameOf),
      action: `${route.method} ${route.path}`,
      status,
      address,
    };
    const endpoint = endpointFromParams(params);
    // A refused request read and stored no records, so only the requested endpoint is logged.
    if (error !== null) {
      const records = new Map<string, number[]>(endpoint === undefined ? [] : [[endpoint, []]]);
      return { ...request, reason: error, consent: trace.consent, records, fields: null, bytes: 0 };
    }
    if (endpoint !== undefined && !trace.records.has(endpoint)) trace.records.set(endpoint, []);
    return {
      ...request,
      reason: null,
      consent: trace.consent ?? ownConsent(principal),
      records: trace.records,
      fields: trace.fields,
      bytes,
      ...(trace.removedIds === null ? {} : { removedIds: trace.removedIds }),
      unnamed: trace.unnamedCount,
    };
  };

  return async (access: AccessEvent): Promise<ReportBytesSent | undefined> => {
    const { caller, status, error } = access;
    if (caller.principal.kind === 'visitor') {
      refusals.count({ action: ACTION_WITHOUT_TOKEN, status, reason: error ?? 'not_authenticated' }, caller.address);
      return undefined;
    }
    if (error !== null) {
      await refusals.recordRefusal({ ...entryOf(access), reason: error });
      return undefined;
    }
    const row = await ledger.write(entryOf(access));
    return (sentBytes) => {
      ledger.complete(row, sentBytes).catch((writeError: unknown) => {
        log.warn(
          { err: writeError, row },
          'failed to log the size of a streamed response; its access log entry has no size',
        );
      });
    };
  };
};
