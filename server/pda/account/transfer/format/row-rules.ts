import { dateTimeSchema } from '../../../../wire/common.ts';
import { lineSchemaOf, membersOf, type ArchiveContent, type Member } from '../../../../wire/archive.ts';
import { ARCHIVE_PARTS, type Part, type PartName } from '../../../../wire/move-parts.ts';
import { invalidArchive } from './error.ts';
import { columnOf, TABLES, type TablePart } from './tables.ts';

/* Converts database rows to lines of the archive and back. */

type ColumnValue = string | number | Uint8Array | null;
/** A database row or a line of the archive: values by column or member name. */
export type ArchiveRow = Record<string, ColumnValue>;

/** Column encodings that other modules define. */
export type Codecs = {
  seqOfId: (id: string) => number | undefined;
  /** Returns the part of a record id that is derived from the sequence number. */
  idHead: (seq: number) => string;
  /** Encodes runs of record numbers, given as the first and last number of each run. */
  pack: (runs: readonly number[]) => Uint8Array;
  unpack: (packed: Uint8Array) => number[];
  /** Normalises a path, because some file systems ignore case and Unicode form. */
  foldedName: (path: string) => string;
  /** Normalises the name of a user or collection. */
  nameKey: (name: string) => string;
};

export type TableShape = TablePart & {
  members: readonly Member[];
  schema: ReturnType<typeof lineSchemaOf>;
  hasData: boolean;
};

const findPart = (name: PartName): Part => {
  const part = ARCHIVE_PARTS.find((candidate) => candidate.name === name);
  if (part === undefined) throw new Error(`unknown part of an archive: ${name}`);
  return part;
};
const createShape = (table: TablePart): TableShape => {
  const part = findPart(table.part);
  const members = membersOf(part);
  return { ...table, members, schema: lineSchemaOf(part), hasData: members.some(({ type }) => type === 'data') };
};

/** Exported tables except those of keys, in the order of the archive. */
export const TABLE_SHAPES: readonly TableShape[] = ARCHIVE_PARTS.flatMap(({ name }) =>
  TABLES.filter(({ part }) => part === name).map(createShape),
);
export const KEY_MEMBERS = membersOf(findPart('keys'));
export const keySchema = lineSchemaOf(findPart('keys'));

/** Stands for the random bits at the end of a record id if they are not stored. */
const UNKNOWN_TAIL = '8000000000000000';
const YEAR_10000_MS = 253_402_300_800_000;

/** Formats a time as ISO 8601. A time before 1970 or after the year 9999 remains a number. */
const formatTime = (ms: number): string =>
  ms >= 0 && ms < YEAR_10000_MS ? JSON.stringify(new Date(ms).toISOString()) : String(ms);

/** Minifies JSON that contains line breaks. */
const toSingleLine = (json: string): string => (/[\n\r]/u.test(json) ? JSON.stringify(JSON.parse(json)) : json);

const formatRuns = (runs: readonly number[]): string => {
  const pairs: string[] = [];
  for (let index = 0; index < runs.length; index += 2) pairs.push(`[${runs[index]},${runs[index + 1]}]`);
  return `[${pairs.join(',')}]`;
};

type FormatContext = {
  codecs: Codecs;
  pathOf: (endpoint: number) => string | undefined;
  content?: ArchiveContent | undefined;
};

const formatId = (row: ArchiveRow, value: ColumnValue, codecs: Codecs): string => {
  if (typeof value !== 'number') return String(value);
  const tail = typeof row['tail'] === 'string' ? row['tail'] : UNKNOWN_TAIL;
  return `${codecs.idHead(value)}${tail.slice(0, 4)}-${tail.slice(4)}`;
};

const formatMember = ({ name, type }: Member, row: ArchiveRow, { codecs, pathOf, content }: FormatContext): string => {
  if (type === 'content') return JSON.stringify(content ?? null);
  const value = row[name] ?? null;
  if (value === null) return 'null';
  switch (type) {
    case 'flag':
      return value === 0 ? 'false' : 'true';
    case 'time':
      return formatTime(Number(value));
    case 'json':
    case 'data':
      return toSingleLine(String(value));
    case 'id':
      return JSON.stringify(formatId(row, value, codecs));
    case 'endpoint':
      return JSON.stringify(pathOf(Number(value)) ?? value);
    case 'runs':
      return value instanceof Uint8Array ? formatRuns(codecs.unpack(value)) : '[]';
    default:
      return JSON.stringify(value);
  }
};

export const formatLine = (members: readonly Member[], row: ArchiveRow, context: FormatContext): string =>
  `{${members.map((member) => `${JSON.stringify(member.name)}:${formatMember(member, row, context)}`).join(',')}}`;

/** Runs must be in ascending order and must not overlap, as binary search requires. */
const parseRuns = (value: unknown): number[] => {
  const runs: number[] = [];
  let end = -1;
  for (const [first, last] of value as [number, number][]) {
    if (first <= end || last < first) throw invalidArchive('it contains runs of record numbers that are not in order');
    runs.push(first, last);
    end = last;
  }
  return runs;
};

/** Largest absolute time of a JavaScript Date. */
const MAX_TIME_MS = 8_640_000_000_000_000;

/** Returns Unix milliseconds. @throws TransferError damaged */
export const parseTime = (value: unknown): number => {
  if (typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS) return value;
  if (!dateTimeSchema.safeParse(value).success) throw invalidArchive('it contains an invalid time');
  return Date.parse(String(value));
};

type ParseContext = { codecs: Codecs; endpointOf: (path: string) => number | undefined };

const parseMember = ({ type }: Member, value: unknown, { codecs, endpointOf }: ParseContext): ColumnValue => {
  if (value === null) return null;
  switch (type) {
    case 'flag':
      return value === true ? 1 : 0;
    case 'time':
      return parseTime(value);
    case 'json':
      return JSON.stringify(value);
    case 'runs':
      return codecs.pack(parseRuns(value));
    case 'endpoint': {
      const id = typeof value === 'string' ? endpointOf(value) : Number(value);
      if (id === undefined) throw invalidArchive('a line names an unknown endpoint');
      return id;
    }
    default:
      return value as ColumnValue;
  }
};

/**
 * Returns a row by column names, with the sequence number (`seq`) of its id, if it has one.
 * @param line line that was validated with the schema of the part
 * @param raw JSON text of the member `data`
 * @throws TransferError damaged
 */
export const parseRow = (
  shape: TableShape,
  line: Record<string, unknown>,
  raw: string | undefined,
  context: ParseContext,
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
    const value = parseMember(member, line[name], context);
    row[column] = value;
    if (type !== 'id') continue;
    const seq = context.codecs.seqOfId(String(value));
    if (seq === undefined || seq < 0) throw invalidArchive('it contains an invalid id');
    row['seq'] = seq;
  }
  return row;
};
