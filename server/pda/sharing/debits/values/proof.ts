import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { decide, type Principal } from '../../../../platform/auth/principal.ts';
import type { RouteResponse, Caller } from '../../../../platform/http/route.ts';
import { createAccessTrace } from '../../../../platform/auth/access-trace.ts';
import type { Proof } from '../../../../wire/debits.ts';
import type { LedgerService } from '../../access-log/service.ts';
import type { DebitService, StoredDebit } from '../service.ts';
import { valuesAccess, type DebitValues } from './reader.ts';

/** Characters of an answer that a proof shows. Of a longer one it gives the size in bytes. */
const SHOWN_ANSWER_MAX_CHARS = 20_000;

/**
 * The requester, with the one right that it needs for `values` of this Data Debit. It exists in memory for one check: no token is issued for it,
 * so it does not depend on whether the requester is set up or its tokens still work, and the answer is about the consent alone.
 */
const requesterOf = ({ application, key }: StoredDebit): Principal =>
  application === null
    ? { kind: 'exchange', scopes: new Set([`debits:read:${key}`] as const) }
    : // `debits:read:<key>` never opens the Data Debit of an application, lest another application read it: its own right does.
      { kind: 'application', application, userId: '', sessionId: '', scopes: new Set(['debits:own'] as const) };

const shownBody = async ({ text, stream }: RouteResponse): Promise<unknown> => {
  if (stream !== undefined || text === undefined || text.length > SHOWN_ANSWER_MAX_CHARS) {
    let bytes = Buffer.byteLength(text ?? '');
    for await (const chunk of stream ?? []) bytes += Buffer.byteLength(chunk);
    return { message: `${bytes} bytes of records` };
  }
  const body: unknown = JSON.parse(text.toString());
  return body;
};

/** Entry of the access log by the result of a check. */
const ACTIONS = {
  refused: 'debit-check-refused',
  shared: 'debit-check-shared',
  inconclusive: 'debit-check-inconclusive',
} as const satisfies Record<Proof['result'], string>;

/** Repeats the requester's own call of `values` on behalf of the owner, who sees whether the consent still lets values out. */
export const createProofService = (parts: {
  debits: Pick<DebitService, 'stored'>;
  sharing: Pick<DebitValues, 'values'>;
  ledger: Pick<LedgerService, 'write'>;
  clock: Clock;
}) => {
  const { debits, sharing, ledger, clock } = parts;

  const callAsRequester = async (debit: StoredDebit, caller: Caller): Promise<RouteResponse> => {
    const principal = requesterOf(debit);
    if (decide(principal, valuesAccess, undefined) !== 'allowed')
      throw new Failure('forbidden', 'The requester has no right to read Data Debits.');
    // The records that this call reads stay here: its trace is not that of an access.
    const answer = await sharing.values(debit.key, { ...caller, principal, trace: createAccessTrace() });
    answer.check?.();
    return answer;
  };

  const attempt = async (debit: StoredDebit, caller: Caller): Promise<Pick<Proof, 'status' | 'body' | 'result'>> => {
    try {
      const answer = await callAsRequester(debit, caller);
      return { status: answer.status, body: await shownBody(answer), result: 'shared' };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const result = error.code === 'data_debit_not_enabled' ? 'refused' : 'inconclusive';
      return { status: error.status, body: error.toBody(caller.requestId), result };
    }
  };

  return {
    /**
     * The check is in the access log as one by the owner.
     * @throws Failure not_found
     */
    async prove(key: string, caller: Caller): Promise<Proof> {
      const debit = debits.stored(key, caller.principal);
      const time = isoTime(clock.now());
      const outcome = await attempt(debit, caller);
      await ledger.write({
        who: { kind: 'owner', name: '' },
        action: ACTIONS[outcome.result],
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
