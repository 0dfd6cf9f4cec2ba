import { dateTimeSchema } from '../../../../wire/common.ts';
import { lineSchemaOf, membersOf, type ArchiveContent, type Member } from '../../../../wire/archive.ts';
import { ARCHIVE_PARTS, type Part, type PartName } from '../../../../wire/move-parts.ts';
import { invalidArchive } from './error.ts';
import { columnOf, TABLES, type TablePart } from './tables.ts';

/* Converts rows of the database to lines of the archive and back. */

/** A value of a column. */
export type Value = string | number | Uint8Array | null;
export type ArchiveRow = Record<string, Value>;

/** Encodings of columns that other modules define. */
export type Codecs = {
  /** Returns the sequence number in a record id; undefined if the id is invalid. */
  seqOfId: (id: string) => number | undefined;
  idHead: (seq: number) => string;
  /** Encodes runs of sequence numbers: first, last, first, last. */
  pack: (runs: readonly number[]) => Uint8Array;
  unpack: (packed: Uint8Array) => number[];
  /** Normalises a path for comparison, because some systems ignore case and Unicode form. */
  foldedName: (path: string) => string;
  nameKey: (name: string) => string;
};

export type Shape = TablePart & {
  members: readonly Member[];
  schema: ReturnType<typeof lineSchemaOf>;
  hasData: boolean;
};

const partNamed = (name: PartName): Part => {
  const part = ARCHIVE_PARTS.find((candidate) => candidate.name === name);
  if (part === undefined) throw new Error(`there is no part ${name}`);
  return part;
};
const shapeOf = (table: TablePart): Shape => {
  const part = partNamed(table.part);
  const members = membersOf(part);
  return { ...table, members, schema: lineSchemaOf(part), hasData: members.some(({ type }) => type === 'data') };
};

/** All parts that are tables, in the order of the archive. */
export const SHAPES: readonly Shape[] = ARCHIVE_PARTS.flatMap(({ name }) =>
  TABLES.filter(({ part }) => part === name).map(shapeOf),
);
export const KEY_MEMBERS = membersOf(partNamed('keys'));
export const keySchema = lineSchemaOf(partNamed('keys'));

const UNKNOWN_TAIL = '8000000000000000';
/** Exclusive limit of dates with a four-digit year. Later times are written as numbers. */
const YEAR_10000 = 253_402_300_800_000;

const timeText = (ms: number): string =>
  ms >= 0 && ms < YEAR_10000 && Number.isInteger(ms) ? JSON.stringify(new Date(ms).toISOString()) : String(ms);

/** Removes line feeds, which the writer of a record may have used between tokens. */
const toSingleLine = (json: string): string => (/[\n\r]/u.test(json) ? JSON.stringify(JSON.parse(json)) : json);

const runsText = (runs: readonly number[]): string => {
  const pairs: string[] = [];
  for (let at = 0; at < runs.length; at += 2) pairs.push(`[${runs[at]},${runs[at + 1]}]`);
  return `[${pairs.join(',')}]`;
};

type WriteContext = {
  codecs: Codecs;
  pathOf: (endpoint: number) => string | undefined;
  content?: ArchiveContent | undefined;
};

const idText = (row: ArchiveRow, value: Value, codecs: Codecs): string => {
  if (typeof value !== 'number') return String(value);
  const tail = typeof row['tail'] === 'string' ? row['tail'] : UNKNOWN_TAIL;
  return `${codecs.idHead(value)}${tail.slice(0, 4)}-${tail.slice(4)}`;
};

const textOf = ({ name, type }: Member, row: ArchiveRow, { codecs, pathOf, content }: WriteContext): string => {
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
      return toSingleLine(String(value));
    case 'id':
      return JSON.stringify(idText(row, value, codecs));
    case 'endpoint':
      return JSON.stringify(pathOf(Number(value)) ?? value);
    case 'runs':
      return value instanceof Uint8Array ? runsText(codecs.unpack(value)) : '[]';
    default:
      return JSON.stringify(value);
  }
};

/** Returns the line of a row, without a line feed. */
export const writeLine = (members: readonly Member[], row: ArchiveRow, context: WriteContext): string =>
  `{${members.map((member) => `${JSON.stringify(member.name)}:${textOf(member, row, context)}`).join(',')}}`;

/** Parses runs. They must be in ascending order and must not overlap, as the search requires. */
const runsFrom = (value: unknown): number[] => {
  const runs: number[] = [];
  let end = -1;
  for (const [first, last] of value as [number, number][]) {
    if (first <= end || last < first)
      throw invalidArchive('it contains runs of sequence numbers that are not in order');
    runs.push(first, last);
    end = last;
  }
  return runs;
};

/** Largest absolute Unix milliseconds of a JavaScript date. */
const MAX_TIME = 8_640_000_000_000_000;

/** Parses a time into Unix milliseconds. @throws TransferError damaged */
export const timeFrom = (value: unknown): number => {
  if (typeof value === 'number' && Math.abs(value) <= MAX_TIME) return value;
  if (!dateTimeSchema.safeParse(value).success) throw invalidArchive('it contains an invalid time');
  return Date.parse(String(value));
};

type ReadContext = { codecs: Codecs; endpointOf: (path: string) => number | undefined };

const valueFrom = ({ type }: Member, value: unknown, { codecs, endpointOf }: ReadContext): Value => {
  if (value === null) return null;
  switch (type) {
    case 'flag':
      return value === true ? 1 : 0;
    case 'time':
      return timeFrom(value);
    case 'json':
      return JSON.stringify(value);
    case 'runs':
      return codecs.pack(runsFrom(value));
    case 'endpoint': {
      const number = typeof value === 'string' ? endpointOf(value) : Number(value);
      if (number === undefined) throw invalidArchive('a line names an unknown endpoint');
      return number;
    }
    default:
      return value as Value;
  }
};

/**
 * Returns the row of a line by column names, with the sequence number (`seq`) of its id.
 * @param line a line that was validated by the schema of the part
 * @throws TransferError damaged
 */
export const readRow = (
  shape: Shape,
  line: Record<string, unknown>,
  raw: string | undefined,
  context: ReadContext,
): ArchiveRow => {
  const row: ArchiveRow = {};
  for (const member of shape.members) {
    const { name, type } = member;
    if (type === 'content') continue;
    const column = shape.columns?.[name] ?? columnOf(name);
    if (type === 'data') {
      if (raw === undefined) throw invalidArchive('it contains a record without data');
      row[column] = raw;
      continue;
    }
    const value = valueFrom(member, line[name], context);
    row[column] = value;
    if (type !== 'id') continue;
    const seq = context.codecs.seqOfId(String(value));
    if (seq === undefined || seq < 0) throw invalidArchive('it contains an invalid id');
    row['seq'] = seq;
  }
  return row;
};
