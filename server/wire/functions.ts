import { z } from 'zod';
import {
  dateTimeSchema,
  endpointPathSchema,
  endpointSchema,
  jsonSchema,
  namespaceSchema,
  versionSchema,
} from './common.ts';
import { requireDisplayTexts } from './display-text.ts';
import { DURATION, unixMsOf } from './iso-8601.ts';
import {
  DEFAULT_FUNCTION_MEMORY_MB,
  MAX_FUNCTION_MEMORY_MB,
  MAX_FUNCTION_RUN_MS,
  MAX_URL_CHARS,
  MIN_FUNCTION_MEMORY_MB,
} from './limits.ts';
import { bundleSchema, namedBundleSchema } from './query.ts';
import { isObject } from './values.ts';

// Functions (docs/decisions.md, 8). Unknown members are stored.

export const functionIdSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/u, 'use letters, digits and . _ -');

/** A URL that may be shown as a link or picture. Empty if the developer gives none. */
export const webUrlOrEmpty = z.union([z.url({ protocol: /^https?$/u }).max(MAX_URL_CHARS), z.literal('')]);

const text = (max: number) => z.string().max(max);

const drawableSchema = z.looseObject({
  normal: webUrlOrEmpty,
  small: webUrlOrEmpty.nullish(),
  large: webUrlOrEmpty.nullish(),
  xlarge: webUrlOrEmpty.nullish(),
});

const updateNotesSchema = z.looseObject({ header: text(1000), notes: z.array(text(2000)).max(100).nullish() });

/** Renames `updateNotes`, which many developers write, to `updateNodes`, the spelling of the interface. */
const withUpdateNodes = (info: unknown): unknown => {
  if (!isObject(info) || !Object.hasOwn(info, 'updateNotes')) return info;
  const { updateNotes, ...rest } = info;
  return Object.hasOwn(rest, 'updateNodes') ? rest : { ...rest, updateNodes: updateNotes };
};

const offsetDateTime = z.iso.datetime({
  offset: true,
  error: 'must be an ISO 8601 date and time such as 2026-01-31T09:30:00Z',
});

/** Accepts an RFC 3339 date and time unchanged, and converts other ISO 8601 dates to UTC. */
const releaseDateSchema = z.preprocess((input) => {
  const ms = typeof input === 'string' && !offsetDateTime.safeParse(input).success ? unixMsOf(input) : undefined;
  return ms === undefined ? input : new Date(ms).toISOString();
}, offsetDateTime);

export const functionInfoSchema = z
  .preprocess(
    withUpdateNodes,
    z.looseObject({
      version: versionSchema,
      versionReleaseDate: releaseDateSchema.nullish(),
      updateNodes: updateNotesSchema.nullish(),
      name: text(200).min(1),
      headline: text(1000),
      description: z.looseObject({
        text: text(20_000),
        markdown: text(20_000).nullish(),
        html: text(20_000).nullish(),
      }),
      termsUrl: webUrlOrEmpty.nullish(),
      supportContact: text(500).nullish(),
      graphics: z
        .looseObject({
          banner: drawableSchema.nullish(),
          logo: drawableSchema.nullish(),
          screenshots: z.array(drawableSchema).max(50).nullish(),
        })
        .nullish(),
      dataPreviewEndpoint: text(500).nullish(),
    }),
  )
  .meta({ id: 'FunctionInfo' });

const functionPeriodSchema = z
  .union(
    [
      z
        .string()
        .max(100)
        .regex(DURATION, 'must be an ISO 8601 duration such as P1D or PT6H')
        .regex(/[1-9]/u, 'must be longer than zero'),
      z.int().min(1),
    ],
    { error: 'must be an ISO 8601 duration such as P1D or PT6H, or milliseconds' },
  )
  .meta({ description: 'ISO 8601 period, or milliseconds', example: 'P1D' });

const functionTriggerSchema = z
  .discriminatedUnion('triggerType', [
    z.looseObject({ triggerType: z.literal('individual') }),
    z.looseObject({ triggerType: z.literal('manual') }),
    z.looseObject({ triggerType: z.literal('periodic'), period: functionPeriodSchema }),
  ])
  .meta({ id: 'FunctionTrigger' });

const functionStatusSchema = z
  .strictObject({
    available: z.boolean(),
    enabled: z.boolean(),
    lastExecution: dateTimeSchema.optional().meta({ description: 'Time of the last successful run' }),
    executionStarted: dateTimeSchema.optional().meta({ description: 'Start of the current run, if there is one' }),
  })
  .meta({ id: 'FunctionStatus' });

/** A definition as the function publishes it. Bundles without a name are accepted. A `status` is ignored. */
export const publishedFunctionSchema = z.looseObject({
  id: functionIdSchema,
  info: functionInfoSchema,
  developer: z.looseObject({ id: text(200), name: text(200), url: webUrlOrEmpty.nullish() }).nullish(),
  trigger: functionTriggerSchema,
  dataBundle: z.union([namedBundleSchema, bundleSchema]),
});

/** Definition in the response of a local or remote function. Its info and developer must be display texts. */
export const functionResponseSchema = publishedFunctionSchema.superRefine(requireDisplayTexts('info', 'developer'));

export const functionConfigurationSchema = publishedFunctionSchema
  .extend({ dataBundle: namedBundleSchema, status: functionStatusSchema })
  .meta({ id: 'FunctionConfiguration' });

export const functionBundleSchema = z.union([namedBundleSchema, bundleSchema]);

const outputEndpoint = { namespace: namespaceSchema, endpoint: endpointPathSchema };

/** Entry of `functions` in config.json. `baseUrl`: URL of the web service, or `sandbox:` for an installed package. */
export const functionRegistrationSchema = z.strictObject({
  id: functionIdSchema,
  version: versionSchema,
  baseUrl: z.union([
    z.url({ protocol: /^https?$/u, error: 'must be an http or https address, or sandbox:' }).max(MAX_URL_CHARS),
    z.string().regex(/^sandbox:.{0,200}$/u),
  ]),
  ...outputEndpoint,
});

export const functionManifestSchema = z
  .strictObject({
    id: functionIdSchema,
    version: versionSchema,
    memoryMb: z
      .int()
      .min(MIN_FUNCTION_MEMORY_MB)
      .max(MAX_FUNCTION_MEMORY_MB)
      .default(DEFAULT_FUNCTION_MEMORY_MB)
      .meta({ description: 'Megabytes' }),
    timeoutMs: z.int().min(1).max(MAX_FUNCTION_RUN_MS).default(MAX_FUNCTION_RUN_MS),
    ...outputEndpoint,
    reads: z.enum(['new', 'all']).default('new').meta({
      description:
        '`new`: records stored or changed since the last run that succeeded; `all`: all records of the bundle',
    }),
  })
  .meta({ id: 'FunctionManifest' });

/**
 * `stopped`: the function was not called, because its own output led to the new records, or because each new record is
 * larger than a request may be.
 */
const RUN_OUTCOMES = ['done', 'memory', 'time', 'error', 'output', 'crashed', 'stopped'] as const;
export const runOutcomeSchema = z.enum(RUN_OUTCOMES);
const RUN_REASONS = ['individual', 'periodic', 'manual', 'retry'] as const;

export const functionRunSchema = z
  .strictObject({
    runId: z.uuid(),
    functionId: functionIdSchema,
    version: versionSchema,
    reason: z.enum(RUN_REASONS).meta({ description: 'What started the run; `retry`: repeated after a failure' }),
    started: dateTimeSchema,
    finished: dateTimeSchema.nullable().meta({ description: 'null: running now' }),
    outcome: runOutcomeSchema.nullable(),
    message: z.string().nullable().meta({ description: 'Readable reason why the run failed or was stopped' }),
    chain: z.array(functionIdSchema).meta({
      description:
        'The functions whose output led to this run, then this function; if a cycle prevented the run, that cycle',
    }),
    window: z
      .strictObject({ fromDate: dateTimeSchema.nullable(), untilDate: dateTimeSchema })
      .meta({ description: '`fromDate` is null if the window has no beginning' }),
    recordsIn: z.int().min(0),
    bytesIn: z.int().min(0).meta({ description: 'Bytes of the request' }),
    recordsOut: z.int().min(0),
    endpoint: z.string().meta({ description: 'Endpoint of the records that the run stored' }),
    durationMs: z.int().min(0).nullable(),
    peakMemoryBytes: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'null: unknown, for example for a remote function' }),
    undone: dateTimeSchema.nullable().meta({ description: 'Time when an undo deleted the records of the run' }),
    undo: z
      .strictObject({ deletionId: z.uuid(), until: dateTimeSchema })
      .nullable()
      .meta({ description: 'POST /owner/deletions/<deletionId>/undo restores the records of the run' }),
  })
  .meta({ id: 'FunctionRun' });

export const functionRunPageSchema = z
  .strictObject({ total: z.int().min(0), runs: z.array(functionRunSchema) })
  .meta({ id: 'FunctionRunPage' });

export const functionRunDetailSchema = functionRunSchema
  .extend({
    log: z.array(z.string()).meta({ description: 'Console output' }),
    records: z
      .array(z.strictObject({ endpoint: z.string(), recordId: z.uuid() }))
      .meta({ description: 'The first 100 records of the run that still exist' }),
  })
  .meta({ id: 'FunctionRunDetail' });

/** `POST /she/function/<id>/dry-run` */
export const dryRunRequestSchema = z.strictObject({
  useAll: z
    .boolean()
    .default(false)
    .meta({ description: 'True to read the whole bundle in this dry run, and not only new records' }),
  send: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the input is sent to the function. Defaults to true for local functions and to false for remote ones, ' +
        'because sending input to a remote function takes it out of this PDA.',
    }),
});

export const dryRunSchema = z
  .strictObject({
    outcome: runOutcomeSchema.nullable().meta({ description: 'null: the input was not passed to the function' }),
    message: z.string().nullable(),
    window: z.strictObject({ fromDate: dateTimeSchema.nullable(), untilDate: dateTimeSchema }),
    dataBundle: namedBundleSchema.nullable().meta({ description: 'Input that the function requests for this window' }),
    input: jsonSchema.meta({ description: 'The request as the function receives it; null if it was not created' }),
    recordsIn: z.int().min(0),
    bytesIn: z.int().min(0),
    more: z
      .boolean()
      .meta({ description: 'True if the input exceeds one request; the function would run again for the rest' }),
    output: jsonSchema.meta({ description: 'Output of the function, which was not saved' }),
    records: z
      .array(z.strictObject({ endpoint: z.string(), data: jsonSchema }))
      .meta({ description: 'The records that would be saved' }),
    durationMs: z.int().min(0).nullable(),
    peakMemoryBytes: z.int().min(0).nullable(),
    log: z.array(z.string()),
  })
  .meta({ id: 'FunctionDryRun' });

const functionPlaceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('here'), package: z.boolean() }),
  z.strictObject({ kind: z.literal('elsewhere'), host: z.string() }),
]);

export const ownerFunctionSchema = z
  .strictObject({
    id: functionIdSchema,
    configuration: functionConfigurationSchema
      .nullable()
      .meta({ description: 'null: the function has not published a version yet; `problem` says why' }),
    version: versionSchema.meta({ description: 'The registered version' }),
    registered: z
      .boolean()
      .meta({ description: 'false: the function was removed; its records and its history remain' }),
    place: functionPlaceSchema.meta({ description: 'Location. The input of a remote function leaves this PDA' }),
    package: z
      .strictObject({ bytes: z.int().min(0), sha256: z.string(), installed: dateTimeSchema })
      .nullable()
      .meta({ description: 'Set for installed functions' }),
    limits: z.strictObject({ memoryMb: z.int().nullable(), timeoutMs: z.int() }).meta({
      description: 'memoryMb null: unknown for a remote function',
    }),
    reads: z.enum(['new', 'all']),
    writes: endpointSchema.meta({ description: 'The only endpoint at which the function can store records' }),
    approved: z
      .strictObject({
        version: versionSchema,
        time: dateTimeSchema,
        place: functionPlaceSchema,
        dataBundle: namedBundleSchema,
        writes: endpointSchema,
        trigger: z.enum(['individual', 'periodic', 'manual']),
      })
      .nullable()
      .meta({
        description:
          'What the owner approved. Runs are limited to this host, input and output. After an approval of manual runs only, automatic runs need a new approval',
      }),
    asksForMore: z.boolean().meta({
      description:
        'True if the published version reads more than was approved, stores records at another endpoint, runs on another ' +
        'host, or runs automatically although only manual runs were approved. Enabling the function again approves the change.',
    }),
    problem: z.string().nullable().meta({ description: 'Readable reason why the configuration could not be loaded' }),
    waiting: z.boolean().meta({ description: 'True if there are events that the function has not processed' }),
    queued: z.boolean().meta({ description: 'True while the function waits for another run to end' }),
    failures: z.int().min(0).meta({ description: 'Failed runs since the last one that succeeded' }),
    nextRun: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('never') }),
        z.strictObject({ kind: z.literal('on new data') }),
        z.strictObject({ kind: z.literal('by hand') }),
        z.strictObject({ kind: z.literal('soon') }),
        z.strictObject({
          kind: z.literal('at'),
          time: dateTimeSchema,
          onlyWithData: z.boolean().meta({ description: 'Only if there is new data by then' }),
        }),
      ])
      .meta({ description: 'never: the function is not enabled or has no configuration' }),
    lastRun: functionRunSchema.nullable(),
    cycle: z
      .strictObject({ time: dateTimeSchema, chain: z.array(functionIdSchema) })
      .nullable()
      .meta({
        description:
          'The last time, since the function was enabled, that input was skipped because it would have closed a cycle',
      }),
  })
  .meta({ id: 'OwnerFunction' });

/** `GET /owner/functions-paused` */
export const functionsPausedSchema = z
  .strictObject({ since: dateTimeSchema.nullable().meta({ description: 'null: functions are not paused' }) })
  .meta({ id: 'FunctionsPaused' });

/** `POST /owner/functions/<id>/enable`. The response is 409 if the function has changed since the review. */
export const functionApprovalSchema = z.strictObject({
  version: versionSchema,
  dataBundle: namedBundleSchema.optional().meta({ description: 'As displayed to the owner' }),
  writes: endpointSchema.optional().meta({ description: 'As displayed to the owner' }),
  trigger: functionTriggerSchema.optional().meta({ description: 'As displayed to the owner' }),
});

export type FunctionTrigger = z.output<typeof functionTriggerSchema>;
export type FunctionStatus = z.output<typeof functionStatusSchema>;
export type PublishedFunction = z.output<typeof publishedFunctionSchema>;
export type FunctionConfiguration = z.output<typeof functionConfigurationSchema>;
export type FunctionRegistration = z.output<typeof functionRegistrationSchema>;
export type FunctionManifest = z.output<typeof functionManifestSchema>;
export type FunctionRun = z.output<typeof functionRunSchema>;
export type FunctionRunPage = z.output<typeof functionRunPageSchema>;
export type FunctionRunDetail = z.output<typeof functionRunDetailSchema>;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];
export type RunReason = (typeof RUN_REASONS)[number];
export type DryRun = z.output<typeof dryRunSchema>;
export type DryRunRequest = z.output<typeof dryRunRequestSchema>;
export type OwnerFunction = z.output<typeof ownerFunctionSchema>;
export type FunctionApproval = z.output<typeof functionApprovalSchema>;
