import { escapeHtml } from '../../../../wire/html.ts';
import { SHARED_CELL_MAX_CHARS } from '../../../../wire/limits.ts';
import { shiftMonth, timeOfDay, weeksOf } from '../../../../wire/months.ts';
import type { SharedChartValues } from '../../../sharing/shared-views/index.ts';
import { LOCALE, numberText } from '../../page-format.ts';
import type { FrameParts } from './frame.ts';
import { viewPath } from './lists.ts';
import { scrollingTable } from './tables.ts';
import { bucketText, shortText } from './view-format.ts';
import { VIEW_TEXTS } from './view-texts.ts';

type CalendarValues = SharedChartValues & { kind: 'calendar' };
type Day = CalendarValues['days'][number];

const MAX_TITLES_PER_CELL = 3;

const titleHtml = (title: string | null, untitled: string): string =>
  `<bdi>${escapeHtml(title === null || title.trim() === '' ? untitled : shortText(title, SHARED_CELL_MAX_CHARS))}</bdi>`;

const cellHtml = (day: string, entry: Day | undefined, { language }: FrameParts): string => {
  const number = `<span>${numberText(Number(day.slice(8)), language)}</span>`;
  if (entry === undefined) return `<td>${number}</td>`;
  const { untitled, moreRecords } = VIEW_TEXTS[language];
  const listedItems = entry.first
    .slice(0, MAX_TITLES_PER_CELL)
    .map(({ title, start }) => `<li>${escapeHtml(timeOfDay(start, day))} ${titleHtml(title, untitled)}</li>`);
  const remainingCount = entry.records - listedItems.length;
  const remainingItem = remainingCount === 0 ? '' : `<li>${moreRecords(numberText(remainingCount, language))}</li>`;
  return `<td>${number}<b>${numberText(entry.records, language)}</b><ul>${listedItems.join('')}${remainingItem}</ul></td>`;
};

const grid = (month: string, days: readonly Day[], label: string, frame: FrameParts): string => {
  const byDay = new Map(days.map((entry) => [entry.day, entry]));
  const weekday = new Intl.DateTimeFormat(LOCALE[frame.language], { weekday: 'short', timeZone: 'UTC' });
  const weeks = weeksOf(month);
  const head = (weeks[0] ?? []).map((day) => `<th>${escapeHtml(weekday.format(new Date(day)))}</th>`).join('');
  const rows = weeks.map(
    (week) =>
      `<tr>${week.map((day) => (day.startsWith(month) ? cellHtml(day, byDay.get(day), frame) : '<td></td>')).join('')}</tr>`,
  );
  // The table below has the same records, so the grid is one picture for screen readers.
  return `<div role="img" aria-label="${escapeHtml(label)}"><table class="month"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
};

const recordRows = ({ day, records, first }: Day, frame: FrameParts): string[] => {
  const { language } = frame;
  const { untitled, moreRecords } = VIEW_TEXTS[language];
  // Without the year, which the heading names, the table fits on a phone.
  const format = new Intl.DateTimeFormat(LOCALE[language], { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const dayHtml = escapeHtml(format.format(new Date(day)));
  const row = (time: string, title: string): string =>
    `<tr><th scope="row" class="day">${dayHtml}</th><td class="day">${time}</td><td>${title}</td></tr>`;
  return [
    ...first.map(({ title, start }) => row(escapeHtml(timeOfDay(start, day)), titleHtml(title, untitled))),
    ...(records === first.length ? [] : [row('', moreRecords(numberText(records - first.length, language)))]),
  ];
};

export const calendarBody = (
  { name, sharedViewId }: { name: string; sharedViewId: string },
  { months, days }: CalendarValues,
  frame: FrameParts,
): string[] => {
  if (months === undefined) return [];
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const { shown: shownMonth, first, last } = months;
  const title = bucketText(shownMonth, 'month', language);
  const label = `${name}: ${title}`;
  const link = (month: string, text: string, rel: string): string =>
    `<a rel="${rel}" href="${escapeHtml(`${viewPath('chart', sharedViewId)}?month=${month}`)}">${text}</a>`;
  const previousLink =
    shownMonth > first ? link(shiftMonth(shownMonth, -1), texts.previousMonth, 'prev') : '<span></span>';
  const nextLink = shownMonth < last ? link(shiftMonth(shownMonth, 1), texts.nextMonth, 'next') : '';
  const head = [texts.buckets.day, texts.time, texts.title].map((text) => `<th scope="col">${text}</th>`).join('');
  return [
    first === last ? '' : `<div class="pagination">${previousLink}${nextLink}</div>`,
    `<h2>${escapeHtml(title)}</h2>`,
    grid(shownMonth, days, days.length === 0 ? label : texts.chartLabel(label), frame),
    days.length === 0
      ? `<p class="notice">${texts.emptyMonth}</p>`
      : scrollingTable({
          name,
          head: `<tr>${head}</tr>`,
          body: days.flatMap((day) => recordRows(day, frame)).join(''),
        }),
  ];
};
