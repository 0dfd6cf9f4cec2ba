import { toDisplayLine } from '../../../../wire/display-text.ts';
import type { FieldType } from '../../../../wire/fields.ts';
import type { ChartBucket } from '../../../../wire/charts.ts';
import type { Language } from '../../../../wire/language.ts';
import type { TableCell } from '../../../sharing/shared-views/index.ts';
import { LOCALE, numberText, timeText } from '../../page-format.ts';
import { VIEW_TEXTS } from './view-texts.ts';

const GROUPED_TYPES: ReadonlySet<FieldType | undefined> = new Set(['number', 'money']);
/** Times with a time zone. Other times are shown unchanged. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/u;
const DAY = /^\d{4}-\d{2}-\d{2}$/u;
const INTEGER = /^-?\d+$/u;

export const aggregateText = (value: number, language: Language): string =>
  numberText(Math.abs(value) >= 100 ? Math.round(value * 100) / 100 : Number(value.toPrecision(4)), language);

export const shortText = (text: string, maxChars: number): string => {
  const line = toDisplayLine(text);
  const characters = line.length > maxChars ? [...line] : [];
  return characters.length > maxChars ? `${characters.slice(0, maxChars).join('')}…` : line;
};

const dayText = (day: string, language: Language): string => {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time)) return day;
  return new Date(time).toLocaleDateString(LOCALE[language], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
};

const textOf = (text: string, type: FieldType | undefined, maxChars: number, language: Language): string => {
  if (type === 'dateTime' && INSTANT.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return timeText(time, language);
  }
  if (type === 'date' && DAY.test(text)) return dayText(text, language);
  return shortText(text, maxChars);
};

/** Returns unescaped text. */
export const cellText = (
  cell: TableCell,
  { type, maxChars, language }: { type: FieldType | undefined; maxChars: number; language: Language },
): string => {
  switch (cell.is) {
    case 'text':
      return textOf(cell.text, type, maxChars, language);
    case 'list':
      return shortText(cell.text, maxChars);
    case 'number':
      return GROUPED_TYPES.has(type)
        ? numberText(INTEGER.test(cell.text) ? BigInt(cell.text) : Number(cell.text), language)
        : cell.text;
    case 'boolean':
      return cell.value ? VIEW_TEXTS[language].yes : VIEW_TEXTS[language].no;
    case 'object':
      return VIEW_TEXTS[language].notShown;
    case 'empty':
      return '';
  }
};

/** @param start for example `2026-03-01 14` for an hour, `2026-03` for a month or `2026` for a year */
export const bucketText = (start: string, per: ChartBucket, language: Language): string => {
  const day = dayText(start.slice(0, 10), language);
  switch (per) {
    case 'hour':
      return `${day}, ${start.slice(11)}:00`;
    case 'day':
      return day;
    case 'week':
      return VIEW_TEXTS[language].weekOf(day);
    case 'month': {
      const time = Date.parse(`${start}-01T00:00:00Z`);
      if (Number.isNaN(time)) return start;
      return new Date(time).toLocaleDateString(LOCALE[language], { month: 'long', year: 'numeric', timeZone: 'UTC' });
    }
    case 'year':
      return start;
  }
};
