import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import { headResponse, jsonText, type RouteResponse, type Caller } from '../../../../platform/http/route.ts';
import { nonOwnerReaderOf, type NonOwnerReader } from '../../../../platform/auth/access-trace.ts';
import type { Bundle } from '../../../../wire/query.ts';
import type { QueryService, Text } from '../../../data/queries/service.ts';
import { fieldsOf } from '../permissions/narrowing-rules.ts';
import { readingOf, type Granted, type StoredPermission } from '../permissions/mapping.ts';
import { activeOf, liveOf, waitingOf } from '../rules.ts';
import type { DebitService } from '../service.ts';

/** Access to `GET …/values`. Which Data Debits a caller may read is decided for each of them. */
export const valuesAccess = { auth: 'anyScope', startsWith: 'debits:' } as const;

/** The caller of `values`. */
export type ValuesCaller = Pick<Caller, 'principal' | 'trace' | 'headersOnly' | 'longRead'>;

/** What a Data Debit shares, read at the moment of the call. */
export type DebitValues = {
  /** The answer of `values`. Says in the trace what it holds. @throws Failure not_found | data_debit_not_enabled | rate_limited */
  values(key: string, caller: ValuesCaller): Promise<RouteResponse>;
  /**
   * The very bytes that `values` answers now; before the owner has decided, those that it would answer if they said yes.
   * @throws Failure not_found | data_debit_not_enabled
   */
  preview(key: string, owner: Principal): Promise<RouteResponse>;
  /** Property -> whether the condition of that name is met. */
  conditionsMet(conditions: Bundle, guest?: NonOwnerReader): Promise<Record<string, boolean>>;
};

const notEnabled = (key: string): Failure => new Failure('data_debit_not_enabled', `Data Debit ${key} not enabled`);

/** Puts what is around the bundle around it. */
const wrapped = (bundle: Text, conditions: Record<string, boolean> | undefined): Text => {
  const before = conditions === undefined ? '{"bundle":' : `{"conditions":${JSON.stringify(conditions)},"bundle":`;
  return typeof bundle === 'string' ? `${before}${bundle}}` : wrappedPieces(before, bundle);
};

async function* wrappedPieces(before: string, bundle: AsyncIterable<string>): AsyncGenerator<string> {
  yield before;
  yield* bundle;
  yield '}';
}

/** Stops at the first piece after the permission has ended: a long answer does not outlive it. */
async function* whileAllowed(pieces: AsyncIterable<string>, check: () => void): AsyncGenerator<string> {
  for await (const piece of pieces) {
    check();
    yield piece;
  }
}

export const createDebitValues = (parts: {
  debits: DebitService;
  queries: QueryService;
  clock: Clock;
}): DebitValues => {
  const { debits, queries, clock } = parts;

  const conditionsMet = async (conditions: Bundle, guest?: NonOwnerReader): Promise<Record<string, boolean>> => {
    // What is looked at here stays here.
    const looker = guest === undefined ? undefined : { ...guest, recordReads: () => undefined };
    const met = Object.entries(conditions).map(async ([name, { endpoints, limit }]) => {
      const take = Math.min(1, limit ?? 1);
      const text = await queries.read(endpoints, { ordering: 'ascending', skip: 0, take, guest: looker });
      return [name, text !== '[]'] as const;
    });
    return Object.fromEntries(await Promise.all(met));
  };

  /**
   * Reads what a permission shares. `check` throws when the permission has ended: it is asked in the same turn in which a read begins, once
   * more when all is read, and again before each piece of a long answer.
   */
  const read = async (permission: StoredPermission, check: () => void, guest?: NonOwnerReader): Promise<Text> => {
    const { conditions } = permission;
    let met: Record<string, boolean> | undefined;
    if (conditions !== null) {
      check();
      met = await conditionsMet(conditions.bundle, guest);
      if (Object.values(met).includes(false)) {
        check();
        return wrapped('{}', met);
      }
    }
    check();
    const text = wrapped(await queries.readBundle(readingOf(permission).bundle, guest), met);
    check();
    return typeof text === 'string' ? text : whileAllowed(text, check);
  };

  const fields = new WeakMap<Granted, readonly string[] | null>();
  const fieldsOfGranted = (granted: Granted): readonly string[] | null => {
    const before = fields.get(granted);
    if (before !== undefined) return before;
    const found = fieldsOf(granted.bundle);
    fields.set(granted, found);
    return found;
  };

  return {
    conditionsMet,

    async values(key, caller) {
      const { principal, trace } = caller;
      const debit = debits.stored(key, principal);
      // Also of a call that is refused the owner sees by which Data Debit it was.
      trace.consent = { kind: 'debit', name: key, detail: '' };
      const permission = activeOf(debit, clock.now());
      if (permission === undefined) throw notEnabled(key);
      trace.consent.detail = permission.id;
      if (caller.headersOnly) return headResponse(200);
      const check = (): void => {
        const now = activeOf(debits.stored(key, principal), clock.now());
        if (now?.id !== permission.id) throw notEnabled(key);
      };
      const text = await read(permission, check, nonOwnerReaderOf(caller));
      trace.fields = trace.records.size === 0 ? [] : fieldsOfGranted(readingOf(permission));
      return { ...jsonText(200, text), check };
    },

    async preview(key, owner) {
      const debit = debits.stored(key, owner);
      const now = clock.now();
      const permission = activeOf(debit, now) ?? waitingOf(debit) ?? liveOf(debit, now).at(-1);
      if (permission === undefined) throw notEnabled(key);
      return jsonText(200, await read(permission, () => undefined));
    },
  };
};
