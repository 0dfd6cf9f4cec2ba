import { type Aggregation, CHART_KINDS, type ChartKind } from '../../../../../server/wire/chart-choices.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { type ChartSpec, defaultAggregation, numberFields, timeFields, valueFields } from './suggest.ts';
import type { ChartView } from './chart-parameters.ts';

/** Completes the owner's choices with the suggested chart and ignores choices that the fields do not allow. */

export interface ResolvedChart {
  kind: ChartKind;
  kinds: ChartKind[];
  /** Undefined: records are counted. */
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

export const resolveChart = (
  view: Pick<ChartView, 'kind' | 'field' | 'counts' | 'second' | 'time' | 'stored' | 'aggregation'>,
  all: readonly Field[],
  suggestions: readonly ChartSpec[],
): ResolvedChart => {
  const kinds = CHART_KINDS.filter((kind) => isPossible(kind, all));
  const kind = kinds.find((candidate) => candidate === view.kind) ?? suggestions[0]?.kind ?? 'time';
  const suggested = suggestions.find((spec) => spec.kind === kind);
  const fields = kind === 'values' ? valueFields(all) : numberFields(all);
  const at = (path: string | undefined): Field | undefined =>
    path === undefined ? undefined : fields.find((field) => field.path === path);
  const overTime = kind === 'time' || kind === 'heat';
  const field =
    overTime && view.counts
      ? undefined
      : (at(view.field) ?? at(suggested?.field) ?? (overTime ? undefined : fields[0]));
  const times = timeFields(all);
  return {
    kind,
    kinds,
    field,
    fields,
    second: at(view.second) ?? at(suggested?.second) ?? fields.find((candidate) => candidate.path !== field?.path),
    time: view.stored ? undefined : (times.find(({ path }) => path === view.time) ?? times[0]),
    times,
    aggregation: field === undefined ? 'count' : (view.aggregation ?? defaultAggregation(field)),
  };
};
