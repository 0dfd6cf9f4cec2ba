import { type Aggregation, CHART_KINDS, type ChartKind } from '../../../../../server/wire/chart-choices.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { type ChartSpec, defaultAggregation, numberFields, timeFields, valueFields } from './suggest.ts';
import type { ChartView } from './chart-parameters.ts';

/** Chart with all its settings, and the possible choices. */
export interface ResolvedChart {
  kind: ChartKind;
  /** Kinds that the fields allow. */
  kinds: ChartKind[];
  /** Charted field; undefined if records are counted. */
  field: Field | undefined;
  /** Fields that may be chosen. */
  fields: Field[];
  second: Field | undefined;
  time: Field | undefined;
  times: Field[];
  aggregation: Aggregation;
}

const isPossible = (kind: ChartKind, fields: readonly Field[]): boolean => {
  switch (kind) {
    case 'distribution':
      return numberFields(fields).length > 0;
    case 'scatter':
      return numberFields(fields).length > 1;
    case 'values':
      return valueFields(fields).length > 0;
    default:
      return true;
  }
};

/** Completes the owner's choices with the suggested chart, and ignores choices that the fields do not allow. */
export const resolveChart = (
  view: Pick<ChartView, 'kind' | 'field' | 'counts' | 'second' | 'time' | 'stored' | 'aggregation'>,
  endpointFields: readonly Field[],
  suggestions: readonly ChartSpec[],
): ResolvedChart => {
  const kinds = CHART_KINDS.filter((kind) => isPossible(kind, endpointFields));
  const kind = kinds.find((candidate) => candidate === view.kind) ?? suggestions[0]?.kind ?? 'time';
  const suggested = suggestions.find((spec) => spec.kind === kind);
  const fields = kind === 'values' ? valueFields(endpointFields) : numberFields(endpointFields);
  const findField = (path: string | undefined): Field | undefined =>
    path === undefined ? undefined : fields.find((field) => field.path === path);
  const isOverTime = kind === 'time' || kind === 'heat';
  const field =
    isOverTime && view.counts
      ? undefined
      : (findField(view.field) ?? findField(suggested?.field) ?? (isOverTime ? undefined : fields[0]));
  const times = timeFields(endpointFields);
  return {
    kind,
    kinds,
    field,
    fields,
    second:
      findField(view.second) ??
      findField(suggested?.second) ??
      fields.find((candidate) => candidate.path !== field?.path),
    time: view.stored ? undefined : (times.find(({ path }) => path === view.time) ?? times[0]),
    times,
    aggregation: field === undefined ? 'count' : (view.aggregation ?? defaultAggregation(field)),
  };
};
