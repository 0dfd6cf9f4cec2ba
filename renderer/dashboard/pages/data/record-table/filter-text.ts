import { isolateText } from '../../../../../server/wire/isolation.ts';
import type { TableFilter, TableValue } from '../../../../../server/wire/table.ts';
import { day, decimal } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { truncateText } from '../records/field-format.ts';

const texts = m.recordTable.filters;
const MAX_VALUE_CHARS = 40;

export function tableValueText(value: TableValue): string {
  if (typeof value === 'boolean') return value ? m.data.values.yes : m.data.values.no;
  return typeof value === 'number' ? decimal(value) : isolateText(truncateText(value, MAX_VALUE_CHARS));
}

/** Formats a date such as `2026-03-01`. Adds noon, because some days have no midnight in some time zones. */
const dayText = (isoDay: string): string => day(`${isoDay}T12:00:00`);

/** @param nameOf returns the name of the field at a path, or the name of the creation time if the path is undefined */
export function filterText(filter: TableFilter, nameOf: (path: string | undefined) => string): string {
  const name = nameOf(filter.field);
  switch (filter.is) {
    case 'range': {
      const { min, max } = filter;
      if (min === undefined) return texts.atMost(name, max ?? 0);
      return max === undefined ? texts.atLeast(name, min) : texts.between(name, min, max);
    }
    case 'days': {
      const { from, to } = filter;
      if (from === undefined) return texts.upToDay(name, dayText(to ?? ''));
      return to === undefined
        ? texts.fromDay(name, dayText(from))
        : texts.betweenDays(name, dayText(from), dayText(to));
    }
    case 'lastDays':
      return texts.lastDays(name, filter.days);
    case 'contains':
      return texts.contains(name, isolateText(truncateText(filter.text, MAX_VALUE_CHARS)));
    case 'containsElement':
      return texts.containsElement(name, isolateText(truncateText(filter.text, MAX_VALUE_CHARS)));
    case 'oneOf':
      return texts.isOneOf(name, filter.values.map(tableValueText));
    case 'empty':
      return texts.isEmpty(name);
    case 'filled':
      return texts.isFilled(name);
  }
}
