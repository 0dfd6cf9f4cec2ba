import { useQueries, useQuery } from '@tanstack/react-query';
import type { PlainProperty } from '../../shared/consent/bundle-text.ts';
import { fieldName } from '../../shared/components/display-names.ts';
import { endpointFields, endpoints } from '../api/queries.ts';
import type { ValueType } from '../pages/data/records/field-format.ts';
import { sourcePathOf } from './source-path.ts';
import { useDataNames } from './use-data-names.ts';

export interface PreviewField {
  label: string;
  /** Undefined if the type is unknown. */
  type: ValueType | undefined;
}

/** @param path path in the shared record */
export type PreviewFieldOf = (property: string, endpoint: string, path: string) => PreviewField;

export function usePreviewFields(properties: readonly PlainProperty[]): PreviewFieldOf {
  const names = useDataNames();
  const summaries = useQuery(endpoints).data;
  const requestedEndpoints = [...new Set(properties.flatMap(({ entries }) => entries.map(({ endpoint }) => endpoint)))];
  const fields = useQueries({
    queries: requestedEndpoints.map((endpoint) => ({
      ...endpointFields(endpoint),
      enabled: summaries?.some((summary) => summary.endpoint === endpoint) === true,
    })),
    combine: (results) =>
      new Map(
        requestedEndpoints.map((endpoint, index) => [
          endpoint,
          new Map((results[index]?.data?.fields ?? []).map((field) => [field.path, field])),
        ]),
      ),
  });
  return (property, endpoint, path) => {
    const source = sourcePathOf(properties, property, endpoint, path);
    if (source === undefined) return { label: fieldName(path), type: undefined };
    return { label: names.field(source, endpoint), type: fields.get(endpoint)?.get(source) };
  };
}
