import { Progress, Text } from '@mantine/core';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { today } from '../../../../shared/format/local-date.ts';
import { useSeries } from '../../../api/charts.ts';
import {
  MAX_BUCKETS,
  type SeriesBucket,
  pointsOf,
  possibleBuckets,
  regroup,
  shiftStart,
  suggestBucket,
  finestBucket,
} from './buckets.ts';
import { ChartFigure, type ChartFrame } from './chart-figure.tsx';
import { amountText, bucketText, fieldText, valueText } from './chart-text.ts';
import { ChartSelect, ControlRow, TimeControls } from './chart-controls.tsx';
import { HeatMap } from './heat-map.tsx';
import type { ResolvedChart } from './resolve-chart.ts';
import { TimeChart, extremesOf } from './time-chart.tsx';
import type { ChartView } from './chart-parameters.ts';

const texts = m.charts;

interface ChartOverTimeProps {
  chart: ResolvedChart;
  view: ChartView;
  change: ((change: Partial<ChartView>) => void) | undefined;
  summary: EndpointSummary;
  /** Changes when the numbers must be reloaded. */
  revision: string;
  frame: ChartFrame;
}

export function ChartOverTime({ chart, view, change, summary, revision, frame }: ChartOverTimeProps) {
  const { field, time } = chart;
  const request = {
    endpoint: summary.endpoint,
    time: time?.path,
    format: time?.timeFormat,
    value: field?.path,
  };
  // Longer buckets are merged from daily ones in the browser, so that only hours need further requests.
  const days = useSeries({ ...request, per: 'day' }, revision, true);
  const dayBuckets = regroup(days.data?.pages.flatMap(({ buckets }) => buckets) ?? [], 'day');
  const finest = finestBucket(time);
  const currentDay = today();
  const first = view.lastDays === undefined ? dayBuckets[0]?.start : shiftStart(currentDay, 'day', 1 - view.lastDays);
  const last = view.lastDays === undefined ? dayBuckets.at(-1)?.start : currentDay;
  const span = [first ?? currentDay, shiftStart(last ?? currentDay, 'day', 1), finest] as const;
  const isHeatMap = chart.kind === 'heat';
  const choices = possibleBuckets(...span);
  const per = isHeatMap ? 'day' : (choices.find((choice) => choice === view.per) ?? suggestBucket(...span));
  const hours = useSeries({ ...request, per: 'hour' }, revision, per === 'hour' && days.isSuccess && !days.hasNextPage);
  const query = per === 'hour' ? hours : days;

  // Hours are requested only after the days.
  if (days.isError && query.isPending) return <LoadError error={days.error} retry={() => void days.refetch()} />;
  if (days.isPending || query.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (query.data === undefined) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  const { pages } = query.data;
  const buckets =
    per === 'day'
      ? dayBuckets
      : regroup(
          pages.flatMap((page) => page.buckets),
          per,
        );
  const readCount = pages.reduce((sum, { records }) => sum + records, 0);
  const excluded = pages.reduce((sum, page) => sum + page.excluded, 0);
  const sharedProps = {
    chart,
    view,
    change,
    frame,
    notes: excluded === 0 ? [] : [excludedText(chart, excluded, readCount)],
    isPartial: query.hasNextPage,
  };
  return (
    <>
      {isHeatMap ? (
        <HeatMapFigure {...sharedProps} buckets={dayBuckets} />
      ) : (
        <TimeFigure
          {...sharedProps}
          per={per}
          choices={choices}
          points={pointsOf(buckets, {
            per,
            aggregation: chart.aggregation,
            lastDays: view.lastDays,
            today: currentDay,
          })}
          hasBuckets={buckets.length > 0}
        />
      )}
      {query.hasNextPage && !query.isError && (
        <div role="status">
          <Progress value={(100 * readCount) / Math.max(readCount, summary.records)} aria-hidden="true" mt="md" />
          <Text c="dimmed" mt="xs">
            {texts.progress(readCount, Math.max(readCount, summary.records))}
          </Text>
        </div>
      )}
      {query.isError && <LoadError error={query.error} retry={() => void query.fetchNextPage()} />}
    </>
  );
}

function excludedText({ field, time }: ResolvedChart, excluded: number, total: number): string {
  if (field === undefined) return texts.noTime(excluded, total);
  return (time === undefined ? texts.noNumber : texts.noNumberOrTime)(excluded, total);
}

type FigureProps = Pick<ChartOverTimeProps, 'chart' | 'view' | 'change' | 'frame'> & {
  notes: string[];
  isPartial: boolean;
};

interface TimeFigureProps extends FigureProps {
  per: keyof typeof texts.buckets;
  choices: readonly (keyof typeof texts.buckets)[];
  points: ReturnType<typeof pointsOf>;
  hasBuckets: boolean;
}

function TimeFigure(props: TimeFigureProps) {
  const { chart, view, change, frame, notes, isPartial, per, choices, points, hasBuckets } = props;
  const { field, time, aggregation } = chart;
  const { lastDays } = view;
  const compare = view.compare && lastDays !== undefined;
  const mark = view.mark ?? defaultMark(chart);
  const unitField = aggregation === 'count' ? undefined : field;
  const title = field === undefined ? texts.recordsOverTime(per) : texts.overTime(field.name, aggregation, per);
  const hasRecords =
    hasBuckets &&
    points.some(({ value, previousValue }) => (value ?? 0) !== 0 || (compare && (previousValue ?? 0) !== 0));
  const shownPoints = hasRecords || (hasBuckets && lastDays === undefined) ? points : [];
  const [first, last] = [shownPoints[0], shownPoints.at(-1)];
  const [low, high] = extremesOf(shownPoints.map(({ value }) => value));
  const amount = (value: number | null): string => (value === null ? '' : amountText(value, unitField));
  const label = aggregation === 'count' ? texts.records : fieldText(field);
  return (
    <>
      {change !== undefined && <TimeControls view={view} change={change} per={per} choices={choices} mark={mark} />}
      <ChartFigure
        frame={frame}
        settings={{ kind: 'time', field: field?.path, time: time?.path, aggregation, per, mark, lastDays, compare }}
        title={title}
        summary={
          first === undefined || last === undefined
            ? title
            : texts.summary(
                title,
                bucketText(first.start, per),
                bucketText(last.start, per),
                amount(low ?? null),
                amount(high ?? null),
              )
        }
        notes={notes}
        isPartial={isPartial}
        table={{
          columns: [texts.buckets[per], label, ...(compare ? [texts.previousPeriod] : [])],
          rows: shownPoints
            .slice(-MAX_BUCKETS)
            .toReversed()
            .map(({ start, value, previousValue }) => [
              bucketText(start, per),
              value === null ? '' : valueText(value, unitField),
              ...(compare ? [previousValue === null ? '' : valueText(previousValue, unitField)] : []),
            ]),
        }}
      >
        <TimeChart
          points={shownPoints}
          per={per}
          mark={mark}
          label={label}
          field={unitField}
          hasComparison={compare}
          startsAtZero={defaultMark(chart) === 'bar'}
          isCompact={frame.location === 'home'}
        />
      </ChartFigure>
    </>
  );
}

function defaultMark({ aggregation }: ResolvedChart): 'bar' | 'line' {
  return aggregation === 'count' || aggregation === 'sum' ? 'bar' : 'line';
}

function HeatMapFigure({
  chart,
  view,
  change,
  frame,
  notes,
  isPartial,
  buckets,
}: FigureProps & { buckets: readonly SeriesBucket[] }) {
  const years = [...new Set(buckets.map(({ start }) => start.slice(0, 4)))].toReversed();
  const year = years.find((candidate) => candidate === view.year) ?? years[0] ?? today().slice(0, 4);
  const yearBuckets = buckets.filter(({ start }) => start.startsWith(year));
  const { field, time, aggregation } = chart;
  const points = pointsOf(yearBuckets, { per: 'day', aggregation, lastDays: undefined, today: today() });
  const [low = 0, high = 0] = extremesOf(points.map(({ value }) => value));
  const unitField = aggregation === 'count' ? undefined : field;
  const title = texts.heatTitle(
    field === undefined ? texts.recordsOverTime('day') : texts.overTime(field.name, aggregation, 'day'),
    year,
  );
  const daysWithRecords = new Set(yearBuckets.map(({ start }) => start));
  const shownPoints = points.filter(({ start }) => daysWithRecords.has(start));
  return (
    <>
      {change !== undefined && (
        <ControlRow>
          <ChartSelect
            label={texts.year}
            value={year}
            data={years.map((value) => ({ value, label: value }))}
            onChange={(value) => change({ year: value })}
          />
        </ControlRow>
      )}
      <ChartFigure
        frame={frame}
        settings={{ kind: 'heat', field: field?.path, time: time?.path, aggregation, year: view.year && year }}
        hasMinWidth
        title={title}
        summary={texts.summary(
          title,
          bucketText(shownPoints[0]?.start ?? `${year}-01-01`, 'day'),
          bucketText(shownPoints.at(-1)?.start ?? `${year}-12-31`, 'day'),
          amountText(low, unitField),
          amountText(high, unitField),
        )}
        notes={notes}
        isPartial={isPartial}
        table={{
          columns: [texts.day, aggregation === 'count' ? texts.records : fieldText(field)],
          rows: shownPoints
            .toReversed()
            .map(({ start, value }) => [bucketText(start, 'day'), value === null ? '' : valueText(value, unitField)]),
        }}
      >
        <HeatMap points={shownPoints} year={year} field={unitField} />
      </ChartFigure>
    </>
  );
}
