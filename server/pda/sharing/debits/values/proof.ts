import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { decide, type Principal } from '../../../../platform/auth/principal.ts';
import type { RouteResponse, Caller } from '../../../../platform/http/route.ts';
import { createAccessTrace } from '../../../../platform/auth/access-trace.ts';
import type { Proof } from '../../../../wire/debits.ts';
import type { AccessLogService } from '../../access-log/service.ts';
import type { DebitService, StoredDebit } from '../service.ts';
import { debitAccess, type DebitValues } from './reader.ts';

/** Maximum length of a response body in a proof. For longer or streamed responses, the proof states only the size. */
const SHOWN_RESPONSE_MAX_CHARS = 20_000;

/**
 * Returns a principal with only the right that `values` of this Data Debit needs. It has no token, so that the result
 * depends only on the consent, not on the requester's set-up or tokens.
 */
const requesterOf = ({ application, key }: StoredDebit): Principal =>
  application === null
    ? { kind: 'exchange', scopes: new Set([`debits:read:${key}`] as const) }
    : // `debits:read:<key>` gives no access to an application's Data Debit: another application can have that scope.
      { kind: 'application', application, userId: '', sessionId: '', scopes: new Set(['debits:own'] as const) };

const toProofBody = async ({ text, stream }: RouteResponse): Promise<unknown> => {
  if (stream !== undefined || text === undefined || text.length > SHOWN_RESPONSE_MAX_CHARS) {
    let bytes = Buffer.byteLength(text ?? '');
    for await (const chunk of stream ?? []) bytes += Buffer.byteLength(chunk);
    return { message: `${bytes} bytes of records` };
  }
  return JSON.parse(text.toString()) as unknown;
};

/** Repeats the requester's `values` request for the owner, to show whether the consent still shares data. */
export const createProofService = (parts: {
  debits: Pick<DebitService, 'findStored'>;
  debitValues: Pick<DebitValues, 'values'>;
  ledger: Pick<AccessLogService, 'write'>;
  clock: Clock;
}) => {
  const { debits, debitValues, ledger, clock } = parts;

  const requestAsRequester = async (debit: StoredDebit, caller: Caller): Promise<RouteResponse> => {
    const principal = requesterOf(debit);
    if (decide(principal, debitAccess, undefined) !== 'allowed')
      throw new Failure('forbidden', 'The requester has no right to read Data Debits.');
    // The request has a separate trace, because no records are sent to the requester.
    const response = await debitValues.values(debit.key, { ...caller, principal, trace: createAccessTrace() });
    response.check?.();
    return response;
  };

  const tryRequest = async (debit: StoredDebit, caller: Caller): Promise<Pick<Proof, 'status' | 'body' | 'result'>> => {
    try {
      const response = await requestAsRequester(debit, caller);
      return { status: response.status, body: await toProofBody(response), result: 'shared' };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const result = error.code === 'data_debit_not_enabled' ? 'refused' : 'inconclusive';
      return { status: error.status, body: error.toBody(caller.requestId), result };
    }
  };

  return {
    /** @throws Failure not_found */
    async prove(key: string, caller: Caller): Promise<Proof> {
      const debit = debits.findStored(key, caller.principal);
      const time = isoTime(clock.now());
      const outcome = await tryRequest(debit, caller);
      await ledger.write({
        who: { kind: 'owner', name: '' },
        action: `debit-check-${outcome.result}`,
        status: 200,
        reason: null,
        consent: { kind: 'debit', name: key, detail: '' },
        records: new Map(),
        fields: null,
        bytes: 0,
        address: caller.address,
      });
      return { call: `GET /api/v2.6/data-debit/${key}/values`, time, ...outcome };
    },
  };
};

export type ProofService = ReturnType<typeof createProofService>;
