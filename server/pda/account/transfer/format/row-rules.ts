import { dateTimeSchema } from '../../../../wire/common.ts';
import { lineSchemaOf, membersOf, type ArchiveContent, type Member } from '../../../../wire/archive.ts';
import { ARCHIVE_PARTS, type Part, type PartName } from '../../../../wire/move-parts.ts';
import { refuse } from './error.ts';
import { columnOf, TABLES, type TablePart } from './tables.ts';

/** A line of the archive from a row of the database, and back. */

/** As SQLite gives and takes them. */
export type Value = string | number | Uint8Array | null;
export type ArchiveRow = Record<string, Value>;

/** What other rooms know of the forms in which something is kept. */
export type Forms = {
  /** The place in the order of creation that an id names; undefined for none of ours. */
  seqOfId: (id: string) => number | undefined;
  idHead: (seq: number) => string;
  /** Runs of places: first, last, first, last. */
  pack: (runs: readonly number[]) => Uint8Array;
  unpack: (packed: Uint8Array) => number[];
  /** A path without what some systems do not tell apart. */
  foldedName: (path: string) => string;
  nameKey: (name: string) => string;
};

export type Shape = TablePart & {
  members: readonly Member[];
  schema: ReturnType<typeof lineSchemaOf>;
  hasData: boolean;
};

const partNamed = (name: PartName): Part => {
  const found = ARCHIVE_PARTS.find((part) => part.name === name);
  if (found === undefined) throw new Error(`there is no part ${name}`);
  return found;
};
const shapeOf = (table: TablePart): Shape => {
  const part = partNamed(table.part);
  const members = membersOf(part);
  return { ...table, members, schema: lineSchemaOf(part), hasData: members.some(({ type }) => type === 'data') };
};

/** Every part that is a table, in the order of the archive. */
export const SHAPES: readonly Shape[] = ARCHIVE_PARTS.flatMap(({ name }) =>
  TABLES.filter(({ part }) => part === name).map(shapeOf),
);
export const KEY_MEMBERS = membersOf(partNamed('keys'));
export const keySchema = lineSchemaOf(partNamed('keys'));

const UNKNOWN_TAIL = '8000000000000000';
/** Days that a date of four digits can say; what is further off is kept as the number that it is. */
const YEAR_10000 = 253_402_300_800_000;

const timeText = (ms: number): string =>
  ms >= 0 && ms < YEAR_10000 && Number.isInteger(ms) ? JSON.stringify(new Date(ms).toISOString()) : String(ms);

/** Removes line feeds, which the writer of a record may have used between tokens. */
const oneLine = (json: string): string => (/[\n\r]/u.test(json) ? JSON.stringify(JSON.parse(json)) : json);

const pairs = (runs: readonly number[]): string => {
  const found: string[] = [];
  for (let at = 0; at < runs.length; at += 2) found.push(`[${runs[at]},${runs[at + 1]}]`);
  return `[${found.join(',')}]`;
};

type Around = { forms: Forms; pathOf: (endpoint: number) => string | undefined; content?: ArchiveContent | undefined };

const idText = (row: ArchiveRow, value: Value, forms: Forms): string => {
  if (typeof value !== 'number') return String(value);
  const tail = typeof row['tail'] === 'string' ? row['tail'] : UNKNOWN_TAIL;
  return `${forms.idHead(value)}${tail.slice(0, 4)}-${tail.slice(4)}`;
};

const textOf = ({ name, type }: Member, row: ArchiveRow, { forms, pathOf, content }: Around): string => {
  if (type === 'content') return JSON.stringify(content ?? null);
  const value = row[name] ?? null;
  if (value === null) return 'null';
  switch (type) {
    case 'flag':
      return value === 0 ? 'false' : 'true';
    case 'time':
      return timeText(Number(value));
    case 'json':
    case 'data':
      return oneLine(String(value));
    case 'id':
      return JSON.stringify(idText(row, value, forms));
    case 'endpoint':
      return JSON.stringify(pathOf(Number(value)) ?? value);
    case 'runs':
      return value instanceof Uint8Array ? pairs(forms.unpack(value)) : '[]';
    default:
      return JSON.stringify(value);
  }
};

/** @returns without its line feed */
export const writeLine = (members: readonly Member[], row: ArchiveRow, around: Around): string =>
  `{${members.map((member) => `${JSON.stringify(member.name)}:${textOf(member, row, around)}`).join(',')}}`;

/** Runs in ascending order that neither touch nor overlap, as the search requires. */
const runsFrom = (value: unknown): number[] => {
  const runs: number[] = [];
  let end = -1;
  for (const [first, last] of value as [number, number][]) {
    if (first <= end || last < first) throw refuse('runs of places that are in no order');
    runs.push(first, last);
    end = last;
  }
  return runs;
};

/** Milliseconds from 1970 on, either way, that a date can say. */
const MAX_TIME = 8_640_000_000_000_000;

/** @throws MoveProblem damaged */
export const timeFrom = (value: unknown): number => {
  if (typeof value === 'number' && Math.abs(value) <= MAX_TIME) return value;
  if (!dateTimeSchema.safeParse(value).success) throw refuse('a time that is none');
  return Date.parse(String(value));
};

type From = { forms: Forms; endpointOf: (path: string) => number | undefined };

const valueFrom = ({ type }: Member, value: unknown, { forms, endpointOf }: From): Value => {
  if (value === null) return null;
  switch (type) {
    case 'flag':
      return value === true ? 1 : 0;
    case 'time':
      return timeFrom(value);
    case 'json':
      return JSON.stringify(value);
    case 'runs':
      return forms.pack(runsFrom(value));
    case 'endpoint': {
      const number = typeof value === 'string' ? endpointOf(value) : Number(value);
      if (number === undefined) throw refuse('the path of an endpoint that is not among the endpoints');
      return number;
    }
    default:
      return value as Value;
  }
};

/**
 * The row of a line, by names of columns; with the place (`seq`) that its id names.
 * @param line what was checked by the schema of the part @throws MoveProblem damaged
 */
export const readRow = (
  shape: Shape,
  line: Record<string, unknown>,
  raw: string | undefined,
  from: From,
): ArchiveRow => {
  const row: ArchiveRow = {};
  for (const member of shape.members) {
    const { name, type } = member;
    if (type === 'content') continue;
    const column = shape.columns?.[name] ?? columnOf(name);
    if (type === 'data') {
      if (raw === undefined) throw refuse('a record without data');
      row[column] = raw;
      continue;
    }
    const value = valueFrom(member, line[name], from);
    row[column] = value;
    if (type !== 'id') continue;
    const place = from.forms.seqOfId(String(value));
    if (place === undefined || place < 0) throw refuse('an id that is none of a PDA');
    row['seq'] = place;
  }
  return row;
};
