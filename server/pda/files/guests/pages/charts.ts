import type { ChartBucket } from '../../../../wire/charts.ts';
import { escapeHtml } from '../../../../wire/html.ts';
import { MAX_SHARED_CHART_ROWS, SHARED_CELL_MAX_CHARS } from '../../../../wire/limits.ts';
import type { MapOutlines } from '../../../../wire/map-outlines.ts';
import type { ChartSettings } from '../../../../wire/pinned-charts.ts';
import type { SharedChartValues } from '../../../sharing/shared-views/index.ts';
import { numberText } from '../../page-format.ts';
import { guestPage, type FrameParts } from './frame.ts';
import { allContentLink } from './lists.ts';
import { scrollingTable } from './tables.ts';
import { aggregateText, bucketText, shortText } from './view-format.ts';
import { VIEW_TEXTS } from './view-texts.ts';
import { calendarBody } from './calendar.ts';
import {
  barsOf,
  boundsOf,
  drawing,
  lineOf,
  pointsOf,
  shareBar,
  timeOfEnd,
  timeOfStart,
  type DrawnValue,
} from './drawing.ts';
import { heatDrawing } from './heat-drawing.ts';
import { mapBody } from './map.ts';

// Renders a chart without scripts: a drawing, and a table of its values.

type ChartContent = {
  sharedViewId: string;
  name: string;
  settings: ChartSettings;
  values: SharedChartValues;
  /** Undefined if the dashboard was not built, and for charts other than maps. */
  outlines: MapOutlines | undefined;
};

const headOf = (name: string, valueName: string, extraCells = ''): string =>
  `<tr><th scope="col">${escapeHtml(name)}</th><th scope="col" class="number">${escapeHtml(valueName)}</th>${extraCells}</tr>`;
const rowOf = (name: string, value: string, extraCells = ''): string =>
  `<tr><th scope="row"><bdi>${escapeHtml(name)}</bdi></th><td class="number">${escapeHtml(value)}</td>${extraCells}</tr>`;

const rangeOf = (values: readonly number[], frame: FrameParts): string => {
  const { language } = frame;
  const [lowest, highest] = boundsOf(values);
  return VIEW_TEXTS[language].range(aggregateText(lowest, language), aggregateText(highest, language));
};

const timeTable = (
  { name, settings }: ChartContent,
  { per, points }: { per: ChartBucket; points: readonly { start: string; value: number }[] },
  { language }: FrameParts,
): string[] => {
  const texts = VIEW_TEXTS[language];
  const newestPoints = points.slice(-MAX_SHARED_CHART_ROWS).toReversed();
  return [
    newestPoints.length < points.length
      ? `<p class="secondary">${texts.moreRows(numberText(MAX_SHARED_CHART_ROWS, language))}</p>`
      : '',
    scrollingTable({
      name,
      head: headOf(texts.buckets[per], texts.aggregations['aggregation' in settings ? settings.aggregation : 'count']),
      body: newestPoints
        .map(({ start, value }) => rowOf(bucketText(start, per, language), aggregateText(value, language)))
        .join(''),
    }),
  ];
};

const timeBody = (content: ChartContent, chart: SharedChartValues & { kind: 'time' }, frame: FrameParts): string[] => {
  const { name, settings } = content;
  const { per, points, isComplete } = chart;
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const isLine = settings.kind === 'time' && settings.mark !== 'bar';
  const values: DrawnValue[] = points.flatMap(({ start, value }) => {
    const from = timeOfStart(start);
    return Number.isNaN(from) ? [] : { from, to: timeOfEnd(start, per), value };
  });
  const ends = [points[0], points.at(-1)].map((point) =>
    point === undefined ? '' : bucketText(point.start, per, language),
  );
  return [
    drawing({
      label: points.length > MAX_SHARED_CHART_ROWS ? name : texts.chartLabel(name),
      caption: rangeOf(
        points.map(({ value }) => value),
        frame,
      ),
      marks: isLine ? lineOf(values) : barsOf(values),
      ends,
    }),
    isComplete ? '' : `<p class="secondary">${texts.newestRecords}</p>`,
    ...timeTable(content, chart, frame),
  ];
};

const heatBody = (
  content: ChartContent,
  { year, points, isComplete }: SharedChartValues & { kind: 'heat' },
  frame: FrameParts,
): string[] => {
  const { name } = content;
  const texts = VIEW_TEXTS[frame.language];
  const range = rangeOf(
    points.map(({ value }) => value),
    frame,
  );
  const label = texts.chartLabel(`${name}: ${year}`);
  return [
    `<figure><figcaption class="secondary">${escapeHtml(`${year} · ${range}`)}</figcaption><div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(year)}">${heatDrawing({ label, year, points, language: frame.language })}</div></figure>`,
    isComplete ? '' : `<p class="secondary">${texts.newestRecords}</p>`,
    ...timeTable(content, { per: 'day', points }, frame),
  ];
};

const scatterBody = (
  { name }: ChartContent,
  { names: [horizontal, vertical], points, total }: SharedChartValues & { kind: 'scatter' },
  frame: FrameParts,
): string[] => {
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const text = (value: number): string => aggregateText(value, language);
  const [lowest, highest] = boundsOf(points.map(({ y }) => y));
  return [
    drawing({
      label: texts.chartLabel(name),
      caption: texts.axes(horizontal, vertical, text(lowest), text(highest)),
      marks: pointsOf(points),
      ends: boundsOf(points.map(({ x }) => x)).map(text),
    }),
    points.length < total
      ? `<p class="secondary">${texts.sample(numberText(points.length, language), numberText(total, language))}</p>`
      : '',
    scrollingTable({
      name,
      head: `<tr>${[horizontal, vertical].map((heading) => `<th scope="col" class="number"><bdi>${escapeHtml(heading)}</bdi></th>`).join('')}</tr>`,
      body: points
        .map(({ x, y }) => `<tr>${[x, y].map((value) => `<td class="number">${text(value)}</td>`).join('')}</tr>`)
        .join(''),
    }),
  ];
};

const distributionBody = (
  { name }: ChartContent,
  { bins }: SharedChartValues & { kind: 'distribution' },
  frame: FrameParts,
): string[] => {
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const text = (value: number): string => aggregateText(value, language);
  return [
    drawing({
      label: texts.chartLabel(name),
      caption: rangeOf(
        bins.map(({ count }) => count),
        frame,
      ),
      marks: barsOf(bins.map(({ from, to, count }) => ({ from, to, value: count }))),
      ends: [text(bins[0]?.from ?? 0), text(bins.at(-1)?.to ?? 0)],
    }),
    scrollingTable({
      name,
      head: headOf(texts.between, texts.aggregations.count),
      body: bins
        .map(({ from, to, count }) => rowOf(`${text(from)} – ${text(to)}`, numberText(count, language)))
        .join(''),
    }),
  ];
};

const valuesBody = (
  { name }: ChartContent,
  { values, others }: SharedChartValues & { kind: 'values' },
  frame: FrameParts,
): string[] => {
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const highestCount = values.reduce((highest, { count }) => Math.max(highest, count), 0);
  const nameOf = (value: string | number | null): string => {
    if (value === null || value === '') return texts.emptyValue;
    return typeof value === 'number' ? numberText(value, language) : shortText(value, SHARED_CELL_MAX_CHARS);
  };
  return [
    scrollingTable({
      name,
      head: headOf(texts.value, texts.aggregations.count, '<td></td>'),
      body: values
        .map(({ value, count }) =>
          rowOf(nameOf(value), numberText(count, language), `<td class="share">${shareBar(count / highestCount)}</td>`),
        )
        .join(''),
    }),
    others === 0 ? '' : `<p class="secondary">${texts.otherValues(numberText(others, language))}</p>`,
  ];
};

const isEmpty = (values: SharedChartValues): boolean => {
  if ('points' in values) return values.points.length === 0;
  if (values.kind === 'distribution') return values.bins.length === 0;
  if (values.kind === 'values') return values.values.length === 0;
  return (values.kind === 'calendar' ? values.months : values.view) === undefined;
};

const bodyOf = (content: ChartContent, frame: FrameParts): string[] => {
  const { values } = content;
  if (isEmpty(values)) return [`<p class="notice">${VIEW_TEXTS[frame.language].noValues}</p>`];
  switch (values.kind) {
    case 'time':
      return timeBody(content, values, frame);
    case 'distribution':
      return distributionBody(content, values, frame);
    case 'values':
      return valuesBody(content, values, frame);
    case 'heat':
      return heatBody(content, values, frame);
    case 'scatter':
      return scatterBody(content, values, frame);
    case 'calendar':
      return calendarBody(content, values, frame);
    case 'map':
      return mapBody(content.name, values, content.outlines, frame);
  }
};

export const chartPage = (frame: FrameParts, content: ChartContent): string =>
  guestPage(
    { ...frame, current: 'files' },
    {
      title: content.name,
      isWide: true,
      body: [
        `<h1><bdi>${escapeHtml(content.name)}</bdi></h1>`,
        ...bodyOf(content, frame),
        allContentLink(frame.language),
      ].join('\n'),
    },
  );
