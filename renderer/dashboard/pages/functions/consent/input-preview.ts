import { isObject } from '../../../../../server/wire/values.ts';
import type { DryRun, SharingPreview } from '../../../../shared/api/contract.ts';
import type { PlainEntry, PlainProperty } from '../../../../shared/consent/bundle-text.ts';

/** What a function would be handed, in the shape in which a consent shows what leaves. */

/** Records that are looked through for the fields of entire records. */
const LOOKED_AT = 200;
const SHOWN = 3;

/** The records of each property, from `{functionConfiguration, request: {data: {property: [records]}}}`. */
export function recordsOf(input: unknown): Map<string, readonly unknown[]> {
  const request = isObject(input) ? input['request'] : undefined;
  const data = isObject(request) ? request['data'] : undefined;
  if (!isObject(data)) return new Map();
  return new Map(Object.entries(data).map(([name, records]) => [name, Array.isArray(records) ? records : []]));
}

function fieldsOf(records: readonly unknown[], { endpoint }: PlainEntry): string[] {
  const names = new Set<string>();
  for (const record of records.slice(0, LOOKED_AT)) {
    if (!isObject(record) || record['endpoint'] !== endpoint) continue;
    const data = record['data'];
    if (isObject(data)) for (const name of Object.keys(data)) names.add(name);
  }
  return [...names];
}

export function previewOf(properties: readonly PlainProperty[], { input, bytesIn }: DryRun): SharingPreview {
  const given = recordsOf(input);
  return {
    bytes: bytesIn,
    properties: properties.map(({ property, entries, limit }) => {
      const records = given.get(property) ?? [];
      return {
        property,
        leaving: records.length,
        matching: records.length,
        limit: Number.isFinite(limit) ? limit : null,
        records: records.slice(0, SHOWN),
        entries: entries.map((entry) => ({
          endpoint: entry.endpoint,
          dropped: false,
          entire: entry.fields === null,
          held: records.length,
          fields: fieldsOf(records, entry),
        })),
      };
    }),
  };
}
