import type { Bundle } from '../../../../../server/wire/query.ts';
import type { DataNames } from '../../../../shared/components/display-names.ts';
import { plainBundle } from '../../../../shared/consent/bundle-text.ts';
import { m } from '../../../../shared/messages/texts.ts';
import type { ReaderSource } from './reader.ts';

const texts = m.sharing.map;

export function bundleSources(bundle: Bundle): ReaderSource[] {
  const endpoints = new Map<string, { isEntire: boolean; fields: number }>();
  for (const { endpoint, fields } of plainBundle(bundle).flatMap(({ entries }) => entries)) {
    const existing = endpoints.get(endpoint) ?? { isEntire: false, fields: 0 };
    endpoints.set(endpoint, {
      isEntire: existing.isEntire || fields === null,
      fields: existing.fields + (fields?.length ?? 0),
    });
  }
  return Array.from(endpoints, ([id, { isEntire, fields }]): ReaderSource => ({
    kind: 'endpoint',
    id,
    extent: isEntire ? texts.every : m.consent.fields(fields),
    isEntire,
  }));
}

export function namespaceSources(namespaces: readonly string[]): ReaderSource[] {
  return namespaces.map((id): ReaderSource => ({ kind: 'namespace', id, extent: texts.everyEndpoint, isEntire: true }));
}

/** Returns a name such as "Sleep", "fitness" or "Files". */
export function sourceName({ kind, id }: Pick<ReaderSource, 'kind' | 'id'>, names: DataNames): string {
  switch (kind) {
    case 'endpoint':
      return names.endpoint(id);
    case 'namespace':
      return names.namespace(id);
    case 'records':
      return texts.records;
    case 'files':
      return texts.files;
    case 'profile':
      return m.sharing.otherReaders.profile;
  }
}
