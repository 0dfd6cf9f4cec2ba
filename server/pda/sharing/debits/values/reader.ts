import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import { headResponse, jsonText, type RouteResponse, type Caller } from '../../../../platform/http/route.ts';
import { nonOwnerReaderOf, type NonOwnerReader } from '../../../../platform/auth/access-trace.ts';
import { createReadDeadline } from '../../../../platform/workers/read-limit-failure.ts';
import type { Bundle } from '../../../../wire/query.ts';
import type { QueryService, Text } from '../../../data/queries/service.ts';
import { sharedFieldsOf } from '../permissions/narrowing-rules.ts';
import { sharedBundleOf, type NamedGrantedBundle, type StoredPermission } from '../permissions/mapping.ts';
import { activePermissionOf, livePermissionsOf, pendingPermission, readablePermissionOf } from '../rules.ts';
import type { DebitService } from '../service.ts';

/** Access rule of routes for a single Data Debit, such as `values`. Each handler checks access to this Data Debit. */
export const debitAccess = { auth: 'anyScope', startsWith: 'debits:' } as const;

type ValuesCaller = Pick<Caller, 'principal' | 'trace' | 'headersOnly' | 'admitLongRead'>;

export type DebitValues = ReturnType<typeof createDebitValues>;

const notEnabled = (key: string): Failure => new Failure('data_debit_not_enabled', `Data Debit ${key} not enabled`);

const wrapBundle = (bundle: Text, conditions: Record<string, boolean> | undefined): Text => {
  const prefix = conditions === undefined ? '{"bundle":' : `{"conditions":${JSON.stringify(conditions)},"bundle":`;
  return typeof bundle === 'string' ? `${prefix}${bundle}}` : wrapStream(prefix, bundle);
};

async function* wrapStream(prefix: string, bundle: AsyncIterable<string>): AsyncGenerator<string> {
  yield prefix;
  yield* bundle;
  yield '}';
}

/** Checks before each chunk, so that a long response ends when the permission ends. */
async function* checkEachChunk(chunks: AsyncIterable<string>, check: () => void): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    check();
    yield chunk;
  }
}

export const createDebitValues = (parts: { debits: DebitService; queries: QueryService; clock: Clock }) => {
  const { debits, queries, clock } = parts;

  const checkConditions = async (conditions: Bundle, reader?: NonOwnerReader): Promise<Record<string, boolean>> => {
    // Records that only conditions read are not sent, so they are not logged.
    const unrecordedReader = reader === undefined ? undefined : { ...reader, recordReads: () => undefined };
    const results: [string, boolean][] = [];
    // One after another, so that reads of other callers take turns with them in the reader thread.
    const checkDeadline = createReadDeadline(reader === undefined);
    for (const [name, { endpoints, limit }] of Object.entries(conditions)) {
      checkDeadline();
      const take = Math.min(1, limit ?? 1);
      const text = await queries.read(endpoints, { ordering: 'ascending', skip: 0, take, nonOwner: unrecordedReader });
      results.push([name, text !== '[]']);
    }
    return Object.fromEntries(results);
  };

  /**
   * @param check throws if values must not be read under the permission now; called before and after each read, and for
   *   each chunk
   */
  const read = async (permission: StoredPermission, check: () => void, reader?: NonOwnerReader): Promise<Text> => {
    const { conditions } = permission;
    let conditionState: Record<string, boolean> | undefined;
    if (conditions !== null) {
      check();
      conditionState = await checkConditions(conditions.bundle, reader);
      if (Object.values(conditionState).includes(false)) {
        check();
        return wrapBundle('{}', conditionState);
      }
    }
    check();
    const text = wrapBundle(await queries.readBundle(sharedBundleOf(permission).bundle, reader), conditionState);
    check();
    return typeof text === 'string' ? text : checkEachChunk(text, check);
  };

  const fieldsCache = new WeakMap<NamedGrantedBundle, readonly string[] | null>();
  const fieldsOfGranted = (granted: NamedGrantedBundle): readonly string[] | null => {
    const cached = fieldsCache.get(granted);
    if (cached !== undefined) return cached;
    const fields = sharedFieldsOf(granted.bundle);
    fieldsCache.set(granted, fields);
    return fields;
  };

  return {
    checkConditions,

    /** @throws Failure not_found | data_debit_not_enabled | rate_limited | query_limit_exceeded */
    async values(key: string, caller: ValuesCaller): Promise<RouteResponse> {
      const { principal, trace } = caller;
      const debit = debits.findStored(key, principal);
      // Set before the checks, so that a refused request's log entry also names the Data Debit.
      trace.consent = { kind: 'debit', name: key, detail: '' };
      const permission = readablePermissionOf(debit, clock.now());
      if (permission === undefined) throw notEnabled(key);
      trace.consent.detail = permission.id;
      if (caller.headersOnly) return headResponse(200);
      const check = (): void => {
        const active = readablePermissionOf(debits.findStored(key, principal), clock.now());
        if (active?.id !== permission.id) throw notEnabled(key);
      };
      const text = await read(permission, check, nonOwnerReaderOf(caller));
      trace.fields = trace.records.size === 0 ? [] : fieldsOfGranted(sharedBundleOf(permission));
      return { ...jsonText(200, text), check };
    },

    /**
     * Returns the values for the owner, even before the approval and during a pause.
     * @throws Failure not_found | data_debit_not_enabled | query_limit_exceeded
     */
    async preview(key: string, owner: Principal): Promise<RouteResponse> {
      const debit = debits.findStored(key, owner);
      const now = clock.now();
      const permission =
        activePermissionOf(debit, now) ?? pendingPermission(debit) ?? livePermissionsOf(debit, now).at(-1);
      if (permission === undefined) throw notEnabled(key);
      return jsonText(200, await read(permission, () => undefined));
    },
  };
};
