import { type Aggregation, CHART_KINDS, type ChartKind } from '../../../../../server/wire/chart-choices.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { endField, startField } from './calendar/event-fields.ts';
import { positionFields, titleField } from './map/position-fields.ts';
import { type ChartSpec, defaultAggregation, numberFields, pictureFields, timeFields, valueFields } from './suggest.ts';
import type { ChartView } from './chart-parameters.ts';

export interface ResolvedChart {
  kind: ChartKind;
  kinds: ChartKind[];
  /** Undefined if records are counted, and for a calendar without a text field. */
  field: Field | undefined;
  fields: Field[];
  /** Field for the vertical axis of a scatter chart, the longitude of a map, or the end of an event; else unused. */
  second: Field | undefined;
  /** Undefined for storage times. */
  time: Field | undefined;
  times: Field[];
  /** Undefined if there is no text field. */
  title: Field | undefined;
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
    case 'map':
      return positionFields(fields).length > 0;
    case 'calendar':
      return timeFields(fields).length > 0;
    case 'gallery':
      return pictureFields(fields).length > 0;
    default:
      return true;
  }
};

const chartableFields = (kind: ChartKind, fields: readonly Field[]): Field[] => {
  if (kind === 'map') return positionFields(fields).map(({ field }) => field);
  if (kind === 'calendar') return fields.filter(({ type }) => type === 'text');
  if (kind === 'gallery') return pictureFields(fields);
  return kind === 'values' ? valueFields(fields) : numberFields(fields);
};

/** Completes the owner's choices with the suggestion or defaults, and ignores impossible kinds and fields. */
export const resolveChart = (
  view: Pick<ChartView, 'kind' | 'field' | 'countsRecords' | 'second' | 'time' | 'usesStorageTime' | 'aggregation'>,
  endpointFields: readonly Field[],
  suggestions: readonly ChartSpec[],
): ResolvedChart => {
  const kinds = CHART_KINDS.filter((kind) => isPossible(kind, endpointFields));
  const kind = kinds.find((candidate) => candidate === view.kind) ?? suggestions[0]?.kind ?? 'time';
  const suggestion = suggestions.find((spec) => spec.kind === kind);
  const fields = chartableFields(kind, endpointFields);
  const findField = (path: string | undefined): Field | undefined =>
    path === undefined ? undefined : fields.find((field) => field.path === path);
  const isOverTime = kind === 'time' || kind === 'heat';
  const title = titleField(endpointFields);
  const field =
    isOverTime && view.countsRecords
      ? undefined
      : kind === 'calendar'
        ? (findField(view.field) ?? title)
        : (findField(view.field) ?? findField(suggestion?.field) ?? (isOverTime ? undefined : fields[0]));
  const times = timeFields(endpointFields);
  const chosenTime = times.find(({ path }) => path === view.time);
  const time = view.usesStorageTime ? undefined : (chosenTime ?? (kind === 'calendar' ? startField(times) : times[0]));
  return {
    kind,
    kinds,
    field,
    fields,
    second:
      kind === 'calendar'
        ? endField(times, time)
        : kind === 'map'
          ? positionFields(endpointFields).find((position) => position.field === field)?.second
          : kind === 'gallery'
            ? undefined
            : (findField(view.second) ??
              findField(suggestion?.second) ??
              fields.find((candidate) => candidate.path !== field?.path)),
    time,
    times,
    title,
    aggregation: field === undefined ? 'count' : (view.aggregation ?? defaultAggregation(field)),
  };
};
