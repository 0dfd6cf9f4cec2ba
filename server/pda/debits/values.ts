import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Principal } from '../../platform/principal.ts';
import type { Answer, Trace } from '../../platform/route.ts';
import type { Bundle } from '../../wire/query.ts';
import type { QueryService, Seen, Text } from '../queries/service.ts';
import { fieldsOf } from './narrowing-rules.ts';
import { readingOf, type Granted, type StoredPermission } from './records.ts';
import { activeOf, liveOf, waitingOf } from './rules.ts';
import type { DebitService } from './service.ts';

/** What a Data Debit shares, read at the moment of the call. */
export type Sharing = {
  /** The answer of `values`. Says in the trace what it holds. @throws Failure not_found | data_debit_not_enabled */
  values(key: string, caller: Principal, trace: Trace): Promise<Answer>;
  /**
   * The very bytes that `values` answers now; before the owner has decided, those that it would answer if they said yes.
   * @throws Failure not_found | data_debit_not_enabled
   */
  preview(key: string, owner: Principal): Promise<Answer>;
  /** Property -> whether the condition of that name is met. */
  conditionsMet(conditions: Bundle): Promise<Record<string, boolean>>;
};

const notEnabled = (key: string): Failure => new Failure('data_debit_not_enabled', `Data Debit ${key} not enabled`);

const answerOf = (text: Text): Answer =>
  typeof text === 'string' ? { status: 200, text } : { status: 200, stream: text };

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

export const createSharing = (parts: { debits: DebitService; queries: QueryService; clock: Clock }): Sharing => {
  const { debits, queries, clock } = parts;

  const conditionsMet = async (conditions: Bundle): Promise<Record<string, boolean>> => {
    const met = Object.entries(conditions).map(async ([name, { endpoints, limit }]) => {
      const take = Math.min(1, limit ?? 1);
      const text = await queries.read(endpoints, { ordering: 'ascending', skip: 0, take });
      return [name, text !== '[]'] as const;
    });
    return Object.fromEntries(await Promise.all(met));
  };

  /**
   * Reads what a permission shares. `check` throws when the permission has ended: it is asked in the same turn in which a read begins, once
   * more when all is read, and again before each piece of a long answer.
   */
  const read = async (permission: StoredPermission, check: () => void, seen?: Seen): Promise<Text> => {
    const { conditions } = permission;
    let met: Record<string, boolean> | undefined;
    if (conditions !== null) {
      check();
      met = await conditionsMet(conditions.bundle);
      if (Object.values(met).includes(false)) {
        check();
        return wrapped('{}', met);
      }
    }
    check();
    const bundle = await queries.readBundle(readingOf(permission).bundle, seen);
    check();
    return wrapped(typeof bundle === 'string' ? bundle : whileAllowed(bundle, check), met);
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

    async values(key, caller, trace) {
      const debit = debits.stored(key, caller);
      // Also of a call that is refused the owner sees by which Data Debit it was.
      trace.consent = { kind: 'debit', name: key, detail: '' };
      const permission = activeOf(debit, clock.now());
      if (permission === undefined) throw notEnabled(key);
      trace.consent.detail = permission.id;
      const check = (): void => {
        const now = activeOf(debits.stored(key, caller), clock.now());
        if (now?.id !== permission.id) throw notEnabled(key);
      };
      const places = new Map<string, Set<number>>();
      const text = await read(permission, check, (endpoint, seqs) => {
        const before = places.get(endpoint);
        if (before === undefined) places.set(endpoint, new Set(seqs));
        else for (const seq of seqs) before.add(seq);
      });
      for (const [endpoint, seqs] of places) trace.records.set(endpoint, [...seqs]);
      trace.fields = places.size === 0 ? [] : fieldsOfGranted(readingOf(permission));
      return answerOf(text);
    },

    async preview(key, owner) {
      const debit = debits.stored(key, owner);
      const now = clock.now();
      const permission = activeOf(debit, now) ?? waitingOf(debit) ?? liveOf(debit, now).at(-1);
      if (permission === undefined) throw notEnabled(key);
      return answerOf(await read(permission, () => undefined));
    },
  };
};
