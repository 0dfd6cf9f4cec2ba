import { z } from 'zod';
import { dateTimeSchema, endpointSchema, jsonSchema, wellFormedText } from './common.ts';
import {
  MAX_EXPORTED_COLUMNS,
  MAX_EXPORTED_HEADING_CHARS,
  MAX_EXPORTED_IDS,
  MAX_EXPORTED_PATH_CHARS,
  MAX_IMPORT_FILES,
  MAX_JSON_DEPTH,
  MAX_LIST_NAME_CHARS,
} from './limits.ts';
import { tableSelectionSchema } from './table.ts';

export const importFormatSchema = z.enum(['json', 'geojson', 'topojson', 'ndjson', 'csv']);

/** `number` can have a decimal point. Times are converted to ISO 8601. `skip` omits the column. */
const columnTypeSchema = z.enum([
  'text',
  'number',
  'decimal-comma',
  'boolean',
  'iso',
  'year-month-day',
  'month-name',
  'month-day',
  'day-month',
  'skip',
]);

const importColumnSchema = z.strictObject({
  name: z.string(),
  type: z
    .enum([...columnTypeSchema.exclude(['skip']).options, 'integer', 'empty', 'object', 'array', 'null', 'mixed'])
    .meta({ description: 'Detected type' }),
});

const listPathSchema = z
  .array(z.string().max(MAX_LIST_NAME_CHARS))
  .max(MAX_JSON_DEPTH)
  .meta({ id: 'ListPath', description: 'Names that lead to the list of records; empty for the whole file' });

const recordListsSchema = z
  .strictObject({
    kind: z.enum(['object', 'geojson', 'topojson']),
    chosen: listPathSchema,
    lists: z
      .array(
        z.strictObject({
          path: listPathSchema,
          elements: z.int().min(0),
          objects: z.int().min(0).meta({ description: 'Elements that are objects' }),
        }),
      )
      .meta({ description: 'The 30 largest lists with elements, in the order of the file' }),
    complete: z.boolean().meta({
      description:
        'False: lists or elements may be missing, because the file was too large for a scan of a few seconds, is not valid JSON, or has more than 1000 lists',
    }),
  })
  .meta({ id: 'RecordLists' });

const elementOptions = {
  format: importFormatSchema,
  list: listPathSchema.optional().meta({
    description:
      'If omitted, a preview uses the largest list, preferably of objects, or the whole file if lists are a minor part of it; a run uses the whole file. In TopoJSON, the path is `objects` and the name of an object; if omitted, the object with the most geometries is used',
  }),
  columnTypes: z.record(z.string(), columnTypeSchema).optional().meta({ description: 'Types by column name' }),
};

/** Meaning of a column of a bank statement. `other` is stored under its heading. */
const bankRoleSchema = z.enum([
  'date',
  'valueDate',
  'amount',
  'debit',
  'credit',
  'direction',
  'currency',
  'counterparty',
  'counterpartyAccount',
  'text',
  'type',
  'balance',
  'other',
  'skip',
]);

const bankOptionsSchema = z
  .strictObject({
    encoding: z.enum(['utf-8', 'windows-1252', 'utf-16le']),
    separator: z.enum([';', ',', '\t', '|']),
    headerLine: z.int().min(1).max(1000).meta({ description: 'Line of the headings, counted from 1' }),
    decimal: z.enum([',', '.']),
    dateOrder: z.enum(['dmy', 'mdy', 'ymd']),
    roles: z.array(bankRoleSchema).min(1).max(200).meta({ description: 'Meaning of each column' }),
  })
  .meta({ id: 'BankOptions' });

const importKindSchema = z
  .strictObject({
    endpoint: z.string(),
    added: z.int().min(0),
    same: z.int().min(0).meta({ description: 'Entries that existed already, or that the export repeats' }),
    changed: z.int().min(0).meta({ description: 'Updated records' }),
  })
  .meta({ id: 'ImportKind' });

const importProblemSchema = z.strictObject({
  position: z.string().meta({ description: 'File, and line or entry' }),
  problem: z.string(),
});

const importProblemsSchema = z.strictObject({
  count: z.int().min(0),
  first: z.array(importProblemSchema).meta({ description: 'The first hundred' }),
});

export const importJobSchema = z
  .strictObject({
    importId: z.uuid(),
    fileName: z.string(),
    files: z.array(z.strictObject({ name: z.string(), size: z.int().min(0) })),
    size: z.int().min(0).meta({ description: 'Bytes of all files' }),
    received: z.int().min(0).meta({ description: 'Bytes uploaded so far' }),
    state: z.enum(['receiving', 'ready', 'running', 'done', 'failed', 'cancelled', 'undone']),
    endpoint: z
      .string()
      .nullable()
      .meta({ description: 'Null before the start, and for the formats `known` and `bank`' }),
    format: z.enum([...importFormatSchema.options, 'known', 'bank']).nullable(),
    bytesRead: z.int().min(0).meta({ description: 'Bytes processed' }),
    added: z.int().min(0).meta({ description: 'Records added' }),
    skipped: z.int().min(0).meta({ description: 'Elements that existed already' }),
    changed: z.int().min(0).meta({ description: 'Updated records' }),
    kinds: z.array(importKindSchema).meta({ description: 'One entry for each kind of data in an export' }),
    problems: importProblemsSchema,
    error: z
      .strictObject({
        line: z.int().nullable(),
        problem: z.string().meta({ description: 'Human-readable description of the problem' }),
      })
      .nullable(),
    started: dateTimeSchema.nullable(),
    finished: dateTimeSchema.nullable(),
    dismissed: z.boolean().meta({ description: 'True: the owner has dismissed the failure on Home' }),
    created: dateTimeSchema,
  })
  .meta({ id: 'ImportJob' });

const importSourceSchema = z.enum(['google', 'apple-health', 'calendar', 'contacts', 'mail', 'bank', 'mixed']);

const detectedKindSchema = z
  .strictObject({
    endpoint: z.string(),
    count: z.int().min(0),
    first: z.string().nullable().meta({ description: 'Earliest date of the counted entries; `last` is the latest' }),
    last: z.string().nullable(),
    samples: z.array(jsonSchema),
  })
  .meta({ id: 'DetectedKind' });

const detectedExportSchema = z
  .strictObject({
    source: importSourceSchema,
    complete: z.boolean().meta({ description: 'False: the count was cut off after a few seconds' }),
    kinds: z.array(detectedKindSchema),
    problems: importProblemsSchema,
    leftOut: z.int().min(0).meta({ description: 'Files without importable content in the archives' }),
  })
  .meta({ id: 'DetectedExport' });

export const importPreviewSchema = z
  .strictObject({
    format: z.enum([...importFormatSchema.options, 'known', 'bank', 'unknown']),
    reason: z.string().meta({ description: 'Why this format, or none, was detected; empty for `known` and `bank`' }),
    columns: z.array(importColumnSchema),
    rows: z
      .strictObject({ count: z.int().min(0), exact: z.boolean() })
      .nullable()
      .meta({
        description:
          'Number of elements before the first error; `exact` is false for an estimate, if counting took too long',
      }),
    lists: recordListsSchema.nullable().meta({ description: 'Lists in a JSON file that is one object' }),
    elements: z.array(jsonSchema).meta({
      description: 'The first elements as they would be stored, with long and deeply nested values shortened',
    }),
    found: detectedExportSchema.nullable(),
    bank: z
      .strictObject({ options: bankOptionsSchema, headings: z.array(z.string()) })
      .nullable()
      .meta({ description: 'How the statement is parsed; the owner can correct it' }),
    error: z.strictObject({ line: z.int().nullable(), problem: z.string() }).nullable(),
  })
  .meta({ id: 'ImportPreview' });

const fileSchema = z.strictObject({ fileName: z.string().min(1).max(255), size: z.int().min(0) });
export const importCreateSchema = z.union([
  fileSchema,
  z.strictObject({
    files: z.array(fileSchema).min(1).max(MAX_IMPORT_FILES).meta({
      description: 'The parts of one export; their contents are sent one after another, as if they were one file',
    }),
  }),
]);

const elementOptionsSchema = z.strictObject(elementOptions);

export const importPreviewRequestSchema = z.union([z.strictObject({ bank: bankOptionsSchema }), elementOptionsSchema]);

export const importRunSchema = z.union([
  z.strictObject({ endpoint: endpointSchema, ...elementOptions }),
  z.strictObject({
    format: z.literal('known'),
    kinds: z.array(z.string()).min(1).max(50).meta({ description: 'Endpoints of the kinds to import' }),
  }),
  z.strictObject({ format: z.literal('bank'), bank: bankOptionsSchema }),
]);

const exportColumnSchema = z.strictObject({
  path: wellFormedText
    .max(MAX_EXPORTED_PATH_CHARS)
    .meta({ description: 'Path in the record; empty for the whole record' }),
  name: wellFormedText.max(MAX_EXPORTED_HEADING_CHARS).meta({ description: 'Heading in a CSV table' }),
});

export const exportRequestSchema = z
  .strictObject({
    endpoint: endpointSchema,
    format: z.enum(['ndjson', 'csv', 'json']),
    selection: tableSelectionSchema
      .optional()
      .meta({ description: 'Only matching records, in this order; by default, all records, oldest first' }),
    records: z
      .array(z.uuid())
      .min(1)
      .max(MAX_EXPORTED_IDS)
      .optional()
      .meta({ description: 'Only these records, in this order unless `order` specifies a different one' }),
    order: tableSelectionSchema
      .pick({ sorts: true, oldestFirst: true })
      .optional()
      .meta({ description: 'Order of `records`, as in the table of records' }),
    columns: z
      .array(exportColumnSchema)
      .min(1)
      .max(MAX_EXPORTED_COLUMNS)
      .optional()
      .meta({ description: 'Only these fields, in this order; by default, all fields' }),
  })
  .refine(
    ({ selection, records }) => selection === undefined || records === undefined,
    'set at most one of selection and records',
  )
  .refine(({ order, records }) => order === undefined || records !== undefined, '`order` requires `records`');

export const exportTicketSchema = z
  .strictObject({ url: z.string().meta({ description: 'Relative URL, valid for one download within a minute' }) })
  .meta({ id: 'ExportTicket' });

export type ExportRequest = z.infer<typeof exportRequestSchema>;
export type ImportJob = z.infer<typeof importJobSchema>;
export type ImportPreview = z.infer<typeof importPreviewSchema>;
export type ImportRun = z.infer<typeof importRunSchema>;
export type ImportCreate = z.infer<typeof importCreateSchema>;
export type DetectedExport = z.infer<typeof detectedExportSchema>;
export type BankOptions = z.infer<typeof bankOptionsSchema>;
export type ImportFormat = z.infer<typeof importFormatSchema>;
/** Type that the owner chose instead of the detected one. */
export type ColumnChoice = z.infer<typeof columnTypeSchema>;
export type ElementOptions = z.infer<typeof elementOptionsSchema>;
export type RecordLists = z.infer<typeof recordListsSchema>;
export type BankRole = z.infer<typeof bankRoleSchema>;
