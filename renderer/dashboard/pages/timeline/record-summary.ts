import type { Field } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';
import { titleField } from '../data/charts/map/position-fields.ts';
import { valueAt } from '../data/records/columns.ts';
import { formatField } from '../data/records/field-format.ts';

const MAX_DETAILS = 3;
const MAX_TEXT_CHARS = 120;
const DETAIL_TYPES: ReadonlySet<Field['type']> = new Set(['number', 'money', 'duration', 'text', 'boolean']);

/** Returns the title, empty if there is none, and the first other values, such as "Amount: £5.99". */
export function recordSummary(data: unknown, fields: readonly Field[]): { title: string; details: string[] } {
  const textOf = (field: Field) => formatField(valueAt(data, field.path), field, MAX_TEXT_CHARS).text;
  const title = titleField(fields);
  const details: string[] = [];
  for (const field of fields) {
    const text = field === title || !DETAIL_TYPES.has(field.type) ? '' : textOf(field);
    if (text !== '') details.push(m.timeline.detail(field.name, text));
    if (details.length === MAX_DETAILS) break;
  }
  return { title: title === undefined ? '' : textOf(title), details };
}
