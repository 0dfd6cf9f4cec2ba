import { setImmediate as turn } from 'node:timers/promises';
import { Failure } from '../../../../platform/failure.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type { Narrowing, PreviewRequest, SharingPreview } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import { isObject } from '../../../../wire/values.ts';
import type { QueryService, Text } from '../../../data/queries/service.ts';
import type { Endpoints } from '../../../data/records/service.ts';
import {
  narrow,
  outputFields,
  type GrantedBundle,
  type GrantedEntry,
  type GrantedProperty,
} from '../permissions/narrowing-rules.ts';
import { readingOf } from '../permissions/mapping.ts';
import type { DebitService } from '../service.ts';
import type { DebitValues } from './reader.ts';

/** What would leave now, page by page, with how much there is. */
export type PreviewService = {
  /** Of a permission; JSON text (`SharingPreview`). @throws Failure not_found | invalid_input */
  ofPermission(key: string, owner: Principal, request: PreviewRequest): Promise<AsyncGenerator<string>>;
  /** Preview of a requested bundle. */
  ofBundle(request: BundlePreview): Promise<AsyncGenerator<string>>;
};

export type BundlePreview = {
  asked: NamedBundle;
  conditions: NamedBundle | null;
  narrowing: Narrowing | undefined;
  skip: number;
  take: number;
};

type PropertyHead = Omit<SharingPreview['properties'][number], 'records'>;

/** Records that are looked at for the names of the fields of entire records. */
const SAMPLE = 50;

const orderOf = ({ orderBy, ordering }: GrantedProperty) => ({
  orderBy: orderBy ?? undefined,
  ordering: ordering ?? ('ascending' as const),
});

/** Starts the stream, so that an error of its first chunk is answered with a status. */
const begun = async (pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string>> => {
  const first: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const next = await pieces.next();
    if (next.done !== true) first.push(next.value);
  }
  return (async function* all() {
    yield* first;
    yield* pieces;
  })();
};

export const createPreviewService = (parts: {
  debits: DebitService;
  sharing: DebitValues;
  queries: QueryService;
  endpoints: Endpoints;
  /** The newest records of an endpoint, as they are stored. */
  newestAt: (endpoint: string, count: number) => string[];
}): PreviewService => {
  const { debits, sharing, queries, endpoints, newestAt } = parts;

  const heldAt = (path: string): number => endpoints.summary(path)?.records ?? 0;

  /** Top-level fields of the newest records, those that are large left out. */
  const fieldsSeen = (path: string): string[] => {
    const fields = new Set<string>();
    for (const data of newestAt(path, SAMPLE)) {
      const value: unknown = JSON.parse(data);
      if (!isObject(value)) continue;
      for (const name of Object.keys(value)) fields.add(name);
    }
    return [...fields];
  };

  /** How many of what is shown match, and how many of them the limit lets through. */
  const countsOf = async (property: GrantedProperty): Promise<{ matching: number; leaving: number }> => {
    const shown = property.endpoints.filter(({ show }) => show !== 'nothing');
    const matching = await queries.count(shown);
    const limit = property.limit ?? Number.POSITIVE_INFINITY;
    if (shown.length === property.endpoints.length) return { matching, leaving: Math.min(matching, limit) };
    // Records that are not shown count for the limit as they did when it was asked for: they only have to be left out.
    if (limit >= (await queries.count(property.endpoints))) return { matching, leaving: matching };
    const keys = await queries.keys(property.endpoints, { ...orderOf(property), skip: 0, take: limit });
    let leaving = 0;
    for (let at = 0; at < keys.length; at += 2) if (property.endpoints[keys[at] ?? 0]?.show !== 'nothing') leaving += 1;
    return { matching, leaving };
  };

  /** What is left out does not move the others, so a page of those that are shown is found without it. */
  const pageOf = async (property: GrantedProperty, skip: number, take: number): Promise<Text> => {
    if (take <= 0) return '[]';
    const shown = property.endpoints.filter(({ show }) => show !== 'nothing');
    return queries.read(shown, { ...orderOf(property), skip, take });
  };

  const propertyOf = async (
    name: string,
    asked: GrantedProperty,
    granted: GrantedProperty | undefined,
    { skip, take }: { skip: number; take: number },
  ): Promise<{ head: string; page: Text }> => {
    const counts = granted === undefined ? { matching: 0, leaving: 0 } : await countsOf(granted);
    const page = granted === undefined ? '[]' : await pageOf(granted, skip, Math.min(take, counts.leaving - skip));
    const isDropped = (index: number): boolean =>
      (granted?.endpoints[index]?.show ?? (granted === undefined ? 'nothing' : undefined)) === 'nothing';
    const describe = (entry: GrantedEntry, index: number): PropertyHead['entries'][number] => {
      const fields = outputFields(entry.mapping);
      return {
        endpoint: entry.endpoint,
        held: heldAt(entry.endpoint),
        entire: fields === null,
        fields: fields ?? fieldsSeen(entry.endpoint),
        dropped: isDropped(index),
      };
    };
    const head: PropertyHead = {
      property: name,
      ...counts,
      limit: asked.limit ?? null,
      entries: [],
    };
    for (const [index, entry] of asked.endpoints.entries()) {
      head.entries.push(describe(entry, index));
      // Each entry may parse some records: others get their turn in between.
      await turn();
    }
    return { head: JSON.stringify(head).slice(0, -1), page };
  };

  /** Put together around the text of the records, which is shown to the letter. They may be large: no preview is held whole. */
  async function* pieces(
    asked: GrantedBundle,
    granted: GrantedBundle,
    conditions: NamedBundle | null,
    page: { skip: number; take: number },
  ): AsyncGenerator<string> {
    let bytes = 0;
    let separator = '{"properties":[';
    for (const [name, property] of Object.entries(asked)) {
      const found = await propertyOf(name, property, Object.hasOwn(granted, name) ? granted[name] : undefined, page);
      yield `${separator}${found.head},"records":`;
      separator = ',';
      for await (const piece of typeof found.page === 'string' ? [found.page] : found.page) {
        bytes += Buffer.byteLength(piece);
        yield piece;
      }
      yield '}';
    }
    const met = conditions === null ? {} : { conditions: await sharing.conditionsMet(conditions.bundle) };
    yield `],${JSON.stringify({ ...met, bytes }).slice(1)}`;
  }

  return {
    ofPermission(key, owner, { permissionId, narrowing, skip, take }) {
      const debit = debits.stored(key, owner);
      const permission = debit.permissions.find(({ id }) => id === permissionId);
      if (permission === undefined) throw new Failure('not_found', 'This Data Debit has no such permission.');
      const { asked, conditions } = permission;
      const granted = narrowing === undefined ? readingOf(permission).bundle : narrow(asked.bundle, narrowing);
      return begun(pieces(asked.bundle, granted, conditions, { skip, take }));
    },

    ofBundle: ({ asked, conditions, narrowing, skip, take }) =>
      begun(pieces(asked.bundle, narrow(asked.bundle, narrowing), conditions, { skip, take })),
  };
};
