import { Checkbox, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import {
  AGGREGATIONS,
  type CHART_BUCKETS,
  CHART_MARKS,
  CHART_RANGE_DAYS,
} from '../../../../../server/wire/chart-choices.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './charts.module.css';
import type { ResolvedChart } from './resolve-chart.ts';
import type { ChartView } from './chart-parameters.ts';

const texts = m.charts;

interface ChartSelectProps<Choice extends string> {
  label: string;
  value: Choice;
  data: readonly { value: Choice; label: string }[];
  onChange: (value: Choice) => void;
}

export function ChartSelect<Choice extends string>({ label, value, data, onChange }: ChartSelectProps<Choice>) {
  return (
    <NativeSelect
      label={label}
      value={value}
      data={[...data]}
      onChange={(event) => {
        const choice = data.find((candidate) => candidate.value === event.currentTarget.value);
        if (choice !== undefined) onChange(choice.value);
      }}
    />
  );
}

export function ControlRow({ children }: { children: ReactNode }) {
  return <div className={classes.controls}>{children}</div>;
}

/** Value of the option without a field. The values of fields begin with a dot, so none of them equals this value. */
const NO_FIELD = 'none';
const optionValueOf = (field: Field | undefined): string => (field === undefined ? NO_FIELD : `.${field.path}`);
const fieldChoices = (fields: readonly Field[]) =>
  fields.map((field) => ({ value: optionValueOf(field), label: withoutBidiControls(field.name) }));

interface ChartControlsProps {
  chart: ResolvedChart;
  /** True if a map connects the positions in chronological order. */
  connect: boolean;
  change: (change: Partial<ChartView>) => void;
}

export function ChartControls({ chart, connect, change }: ChartControlsProps) {
  const { kind, kinds, field, fields, second, time, times, aggregation } = chart;
  const isOverTime = kind === 'time' || kind === 'heat';
  const isMap = kind === 'map';
  const isCalendar = kind === 'calendar';
  const isGallery = kind === 'gallery';
  return (
    <ControlRow>
      <ChartSelect
        label={texts.kind}
        value={kind}
        data={kinds.map((value) => ({ value, label: texts.kinds[value] }))}
        onChange={(value) => change({ kind: value, field: undefined, second: undefined, aggregation: undefined })}
      />
      {(isMap || isCalendar || isGallery ? fields.length > 1 : !isOverTime || fields.length > 0) && (
        <ChartSelect
          label={
            isCalendar
              ? texts.calendar.titleField
              : isMap
                ? texts.map.position
                : isGallery
                  ? texts.gallery.picture
                  : kind === 'scatter'
                    ? texts.horizontal
                    : texts.value
          }
          value={optionValueOf(field)}
          data={[...fieldChoices(fields), ...(isOverTime ? [{ value: NO_FIELD, label: texts.records }] : [])]}
          onChange={(value) =>
            change({
              field: value === NO_FIELD ? undefined : value.slice(1),
              countsRecords: value === NO_FIELD,
              aggregation: undefined,
            })
          }
        />
      )}
      {kind === 'scatter' && (
        <ChartSelect
          label={texts.vertical}
          value={optionValueOf(second)}
          data={fieldChoices(fields)}
          onChange={(value) => change({ second: value.slice(1) })}
        />
      )}
      {isOverTime && field !== undefined && (
        <ChartSelect
          label={texts.aggregation}
          value={aggregation}
          data={AGGREGATIONS.map((value) => ({ value, label: texts.aggregations[value] }))}
          onChange={(value) => change({ aggregation: value })}
        />
      )}
      {(isMap || ((isCalendar || isGallery) && times.length > 1)) && time !== undefined && (
        <ChartSelect
          label={texts.time}
          value={optionValueOf(time)}
          data={fieldChoices(times)}
          onChange={(value) => change({ time: value.slice(1), from: undefined, to: undefined })}
        />
      )}
      {isMap && time !== undefined && second !== undefined && (
        <Checkbox
          py="sm"
          label={texts.map.connect}
          checked={connect}
          onChange={(event) => change({ connect: event.currentTarget.checked })}
        />
      )}
      {isOverTime && times.length > 0 && (
        <ChartSelect
          label={texts.time}
          value={optionValueOf(time)}
          data={[...fieldChoices(times), { value: NO_FIELD, label: texts.stored }]}
          onChange={(value) =>
            change({ time: value === NO_FIELD ? undefined : value.slice(1), usesStorageTime: value === NO_FIELD })
          }
        />
      )}
    </ControlRow>
  );
}

interface TimeControlsProps {
  view: ChartView;
  change: (change: Partial<ChartView>) => void;
  per: (typeof CHART_BUCKETS)[number];
  choices: readonly (typeof CHART_BUCKETS)[number][];
  mark: (typeof CHART_MARKS)[number];
}

export function TimeControls({ view, change, per, choices, mark }: TimeControlsProps) {
  return (
    <ControlRow>
      <ChartSelect
        label={texts.bucket}
        value={per}
        data={choices.map((value) => ({ value, label: texts.buckets[value] }))}
        onChange={(value) => change({ per: value })}
      />
      <ChartSelect
        label={texts.range}
        value={String(view.lastDays ?? '')}
        data={[
          { value: '', label: texts.all },
          ...CHART_RANGE_DAYS.map((days) => ({ value: String(days), label: texts.lastDays(days) })),
        ]}
        onChange={(value) =>
          change({ lastDays: CHART_RANGE_DAYS.find((days) => String(days) === value), per: undefined })
        }
      />
      <ChartSelect
        label={texts.mark}
        value={mark}
        data={CHART_MARKS.map((value) => ({ value, label: texts.marks[value] }))}
        onChange={(value) => change({ mark: value })}
      />
      {view.lastDays !== undefined && (
        <Checkbox
          py="sm"
          label={texts.compare}
          checked={view.compare}
          onChange={(event) => change({ compare: event.currentTarget.checked })}
        />
      )}
    </ControlRow>
  );
}
