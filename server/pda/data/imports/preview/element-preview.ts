import { createReadStream } from 'node:fs';
import { decodeString } from '../../../../platform/json/strings.ts';
import type { CsvColumn } from '../tabular/csv-columns.ts';
import {
  BrokenElement,
  type ImportedElement,
  type ImportFormat,
  readElements,
  type ReadOptions,
  withoutLine,
} from '../tabular/element-reader.ts';
import { forEachMember, findValueEnd } from '../../../../platform/json/members.ts';
import type { ElementPreview, ThreadTask } from '../worker/messages.ts';

/** Type of the values of a column. `mixed`: the values have several types. */
export type PreviewType = CsvColumn['type'] | 'object' | 'array' | 'null' | 'mixed';

/** A column of a preview. */
export interface PreviewColumn {
  readonly name: string;
  readonly type: PreviewType;
  /** Up to three different values in readable form, shortened. */
  readonly examples: string[];
}

/** The first elements of a file. */
export interface Preview {
  readonly elements: ImportedElement[];
  /** Headings of a CSV file, or keys of the JSON objects in order of appearance. */
  readonly columns: PreviewColumn[];
  /** First element that cannot be read, if it is within the preview. */
  readonly broken: BrokenElement | undefined;
}

const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_CHARS = 100;
/** Limits for one element of a preview, which keep the response small. */
const MAX_COLUMNS = 500;
const MAX_TEXT_CHARS = 500;
const MAX_MEMBERS = 100;
const MAX_DEPTH = 8;
const NUMBER_WITH_FRACTION = /[.eE]/;

/** Returns a value with shortened texts, and without members beyond the bounds. */
function shortenValue(value: unknown, members: number, depth = 0): unknown {
  if (typeof value === 'string') return shortenText(value, MAX_TEXT_CHARS);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, members).map((item) => shortenValue(item, MAX_MEMBERS, depth + 1));
  const entries = Object.entries(value).slice(0, members);
  return Object.fromEntries(entries.map(([name, item]) => [name, shortenValue(item, MAX_MEMBERS, depth + 1)]));
}

/** Previews the first elements of a file, with shortened values. */
export const previewOfElements = async (task: Extract<ThreadTask, { task: 'preview' }>): Promise<ElementPreview> => {
  const { elements, columns, broken } = await previewElements(createReadStream(task.path), task.format, task.count);
  return {
    columns: columns.slice(0, MAX_COLUMNS).map(({ name, type, examples }) => ({ name, type, examples })),
    elements: elements.map(({ text }) => shortenValue(JSON.parse(text), MAX_COLUMNS)),
    error: broken === undefined ? null : { line: broken.line, problem: withoutLine(broken) },
  };
};

/** Reads the first `count` elements as an import would, and closes the stream. */
export async function previewElements(
  stream: AsyncIterable<Buffer>,
  format: ImportFormat,
  count: number,
  options: ReadOptions = {},
): Promise<Preview> {
  let headings: readonly CsvColumn[] = [];
  const csv = { ...options.csv, onColumns: (columns: readonly CsvColumn[]) => (headings = columns) };
  const elements: ImportedElement[] = [];
  let broken: BrokenElement | undefined;
  try {
    for await (const batch of readElements(stream, format, { ...options, csv })) {
      elements.push(...batch.elements.slice(0, count - elements.length));
      if (elements.length >= count) break;
    }
  } catch (error) {
    if (!(error instanceof BrokenElement)) throw error;
    broken = error;
  }
  return { elements, columns: columnsOf(elements, headings), broken };
}

function columnsOf(elements: readonly ImportedElement[], headings: readonly CsvColumn[]): PreviewColumn[] {
  const guessedTypes = new Map(headings.map(({ name, type }) => [name, type]));
  const columns = new Map(headings.map(({ name }) => [name, new ColumnSummary()]));
  for (const { text } of elements) {
    for (const { name, type, example } of membersOf(text)) {
      let column = columns.get(name);
      if (column === undefined) columns.set(name, (column = new ColumnSummary()));
      column.add(type, example);
    }
  }
  return Array.from(columns, ([name, column]) => ({
    name,
    type: guessedTypes.get(name) ?? column.type(),
    examples: [...column.examples],
  }));
}

/** Collects types and examples of the values of one key. */
class ColumnSummary {
  readonly examples = new Set<string>();
  readonly #types = new Set<PreviewType>();

  add(type: PreviewType, example: string): void {
    this.#types.add(type);
    if (type !== 'null' && this.examples.size < MAX_EXAMPLES) this.examples.add(example);
  }

  type(): PreviewType {
    const [type = 'null', ...others] = [...this.#types].filter((name) => name !== 'null');
    if (others.length === 0) return type;
    const isNumeric = [type, ...others].every((name) => name === 'integer' || name === 'number');
    return isNumeric ? 'number' : 'mixed';
  }
}

interface Member {
  readonly name: string;
  readonly type: PreviewType;
  readonly example: string;
}

function membersOf(text: string): Member[] {
  const members: Member[] = [];
  if (!text.startsWith('{')) return members;
  forEachMember(text, 0, (name, start) => {
    const end = findValueEnd(text, start);
    const value = text.slice(start, end);
    members.push({ name, type: typeOf(value), example: shorten(value) });
    return end;
  });
  return members;
}

function typeOf(value: string): PreviewType {
  const [first] = value;
  if (first === '"') return 'text';
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === 't' || first === 'f') return 'boolean';
  if (first === 'n') return 'null';
  return NUMBER_WITH_FRACTION.test(value) ? 'number' : 'integer';
}

function shorten(value: string): string {
  const text = value.startsWith('"') ? decodeString(value) : value;
  return shortenText(text, MAX_EXAMPLE_CHARS);
}

function shortenText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`;
}
