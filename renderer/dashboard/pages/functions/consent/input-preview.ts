import { isObject } from '../../../../../server/wire/values.ts';
import type { DryRun, SharingPreview } from '../../../../shared/api/contract.ts';
import type { PlainEntry, PlainProperty } from '../../../../shared/consent/bundle-text.ts';

/** Number of records per property that are scanned for field names. */
const MAX_SCANNED_RECORDS = 200;
const MAX_PREVIEW_RECORDS = 3;

/** Returns the records by property. @param input `{functionConfiguration, request: {data: {property: [records]}}}` */
export function recordsOf(input: unknown): Map<string, readonly unknown[]> {
  const request = isObject(input) ? input['request'] : undefined;
  const data = isObject(request) ? request['data'] : undefined;
  if (!isObject(data)) return new Map();
  return new Map(Object.entries(data).map(([name, records]) => [name, Array.isArray(records) ? records : []]));
}

function fieldsOf(records: readonly unknown[], { endpoint }: PlainEntry): string[] {
  const names = new Set<string>();
  for (const record of records.slice(0, MAX_SCANNED_RECORDS)) {
    if (!isObject(record) || record['endpoint'] !== endpoint) continue;
    const data = record['data'];
    if (isObject(data)) for (const name of Object.keys(data)) names.add(name);
  }
  return [...names];
}

export function previewOf(properties: readonly PlainProperty[], { input, bytesIn }: DryRun): SharingPreview {
  const recordsByProperty = recordsOf(input);
  return {
    bytes: bytesIn,
    properties: properties.map(({ property, entries, limit }) => {
      const records = recordsByProperty.get(property) ?? [];
      return {
        property,
        leaving: records.length,
        matching: records.length,
        limit: Number.isFinite(limit) ? limit : null,
        records: records.slice(0, MAX_PREVIEW_RECORDS),
        entries: entries.map((entry) => ({
          endpoint: entry.endpoint,
          excluded: false,
          entire: entry.fields === null,
          endpointRecords: records.length,
          fields: fieldsOf(records, entry),
        })),
      };
    }),
  };
}
