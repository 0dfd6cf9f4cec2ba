import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { ARCHIVE_PARTS, type MemberType, type Part, type PartName } from './move-parts.ts';
import { archiveCountsSchema } from './move.ts';

// Archive of a whole account (docs/archive-format.md).

/** Must be raised when an older program would misread the format. */
export const ARCHIVE_VERSION = 1;
export const ARCHIVE_FORMAT = 'personal-data-account';
export const MANIFEST = 'manifest.json';
export const README = 'README.txt';

/** Enough for a million files of the owner, and the part files. */
export const MAX_ARCHIVE_ENTRIES = 1_100_000;
export const MAX_ARCHIVE_LIST_BYTES = 300_000_000;
export const MAX_MANIFEST_BYTES = 4_000_000;
/** Enough for the largest record and the largest access log entry. */
export const ARCHIVE_MAX_LINE_BYTES = 64_000_000;
/** Size after which lines continue in another file, so that an editor can open each file. */
export const PART_FILE_BYTES = 64_000_000;

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/u);
const text = z.string().max(ARCHIVE_MAX_LINE_BYTES);

export const archiveContentSchema = z.strictObject({ entry: z.string().min(1).max(4096), bytes: count, sha256 });
export type ArchiveContent = z.infer<typeof archiveContentSchema>;

const MEMBER_SCHEMAS: Record<MemberType, z.ZodType> = {
  text,
  whole: z.int(),
  // An older archive does not contain flags that were added later.
  flag: z.boolean().default(false),
  // A time before 1970 or after the year 9999 is exported as a number.
  time: z.union([dateTimeSchema, z.int()]),
  json: z.unknown(),
  data: z.unknown(),
  id: z.string().max(36),
  endpoint: z.union([z.string().max(500), z.int()]),
  runs: z.array(z.tuple([count, count])),
  content: archiveContentSchema,
};

export type Member = { name: string; type: MemberType; optional: boolean };

export const membersOf = (definition: Part): Member[] =>
  definition.members.split(', ').map((member) => {
    const [name = '', type = ''] = member.split(' ');
    return { name, type: type.replace('?', '') as MemberType, optional: type.endsWith('?') };
  });

/** Returns the schema of a part's lines, without `data`, which stays JSON text. */
export const lineSchemaOf = (definition: Part): z.ZodType<Record<string, unknown>> =>
  z.strictObject(
    Object.fromEntries(
      membersOf(definition)
        .filter(({ type }) => type !== 'data')
        .map(({ name, type, optional }) => [name, optional ? MEMBER_SCHEMAS[type].nullable() : MEMBER_SCHEMAS[type]]),
    ),
  );

const partNames = ARCHIVE_PARTS.map(({ name }) => name) as [PartName, ...PartName[]];

export const manifestSchema = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.int().min(1),
  program: z.string().max(100),
  created: dateTimeSchema,
  account: z.strictObject({ id: z.uuid(), name: z.string().max(100), created: dateTimeSchema }),
  counts: archiveCountsSchema,
  /** Highest id assigned in each table whose ids are never reused. */
  numbers: z.record(z.string().max(100), count),
  parts: z
    .array(z.strictObject({ part: z.enum(partNames), file: z.string().max(200), lines: count, bytes: count, sha256 }))
    .max(100_000),
});
export type Manifest = z.infer<typeof manifestSchema>;
/** The members that determine whether a program can read the archive. */
export const manifestStartSchema = z.object({ format: z.literal(ARCHIVE_FORMAT), version: z.int().min(1) });
