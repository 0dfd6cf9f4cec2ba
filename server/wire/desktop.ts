import { z } from 'zod';
import { backupStatusSchema } from './backup.ts';
import { pathNameSchema } from './common.ts';
import { exposureStateSchema } from './exposure.ts';
import { LANGUAGES } from './language.ts';

// Messages between the desktop app and its server, over an IPC channel that only these two can use (docs/adr/0022).

/** Maximum number of requests in a status message, which also contains the number of all waiting requests. */
export const MAX_NOTIFIED_REQUESTS = 20;
export const MAX_NOTIFIED_RENEWALS = 20;
/** Length that every system shows in a notification without truncation. */
export const MAX_NOTIFICATION_TITLE_CHARS = 60;
export const MAX_NOTIFICATION_BODY_CHARS = 180;
/** Maximum number of concurrent commands of the app. */
export const MAX_DESKTOP_COMMANDS = 16;

const fingerprintSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/u);

export const desktopRequestSchema = z.strictObject({
  key: pathNameSchema,
  permissionId: z.string().min(1).max(100),
  /** The requester's own name, sanitised for display. */
  requester: z.string().max(200),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
  /**
   * Fingerprint of the request and these texts; null if the texts do not describe the request completely, so that it
   * cannot be approved in a notification.
   */
  fingerprint: fingerprintSchema.nullable(),
});

const desktopRenewalSchema = z.strictObject({
  key: pathNameSchema,
  /** Unique for each period of each permission. */
  id: z.string().min(1).max(150),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
});

export const desktopSummarySchema = z.strictObject({
  /** Unique for each week. */
  id: z.string().min(1).max(50),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
});

const desktopStatusSchema = z.strictObject({
  type: z.literal('status'),
  /** Newest first. */
  requests: z.array(desktopRequestSchema).max(MAX_NOTIFIED_REQUESTS),
  requestsWaiting: z.int().min(0),
  renewals: z.array(desktopRenewalSchema).max(MAX_NOTIFIED_RENEWALS),
  summary: desktopSummarySchema.nullable(),
  exposure: z.strictObject({
    state: exposureStateSchema,
    address: z.string().max(400).nullable(),
    /** Host of a localtunnel server that can read all traffic. */
    readableBy: z.string().max(253).nullable(),
  }),
  functionsPaused: z.boolean(),
  backup: backupStatusSchema,
});

const commandId = z.int().min(1);

const desktopResponseSchema = z.discriminatedUnion('done', [
  z.strictObject({ type: z.literal('response'), id: commandId, done: z.literal(true) }),
  z.strictObject({
    type: z.literal('response'),
    id: commandId,
    done: z.literal(false),
    /** In English. */
    reason: z.string().max(500),
    code: z.string().max(50).optional(),
  }),
]);

/** The server could not open its home and exits. */
const cannotStartSchema = z.strictObject({
  type: z.literal('cannot-start'),
  kind: z.enum(['in_use', 'unusable', 'damaged', 'newer', 'not_a_pda', 'other']),
  reason: z.string().max(1000),
});

export const fromServerSchema = z.union([desktopStatusSchema, desktopResponseSchema, cannotStartSchema]);

const desktopCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('deny'), key: pathNameSchema, permissionId: z.string().min(1).max(100) }),
  z.strictObject({
    type: z.literal('approve'),
    key: pathNameSchema,
    permissionId: z.string().min(1).max(100),
    fingerprint: fingerprintSchema,
  }),
  z.strictObject({ type: z.literal('go-dark') }),
  z.strictObject({ type: z.literal('go-light') }),
  z.strictObject({ type: z.literal('pause-functions') }),
  z.strictObject({ type: z.literal('resume-functions') }),
  /** The computer woke from sleep. The server then retries its connections immediately. */
  z.strictObject({ type: z.literal('woke-up') }),
]);

export const fromDesktopAppSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('watch'),
    language: z.enum(LANGUAGES).optional(),
  }),
  /** Stops the server on systems without a stop signal. */
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('command'), id: commandId, command: desktopCommandSchema }),
]);

export type DesktopRequest = z.infer<typeof desktopRequestSchema>;
export type DesktopRenewal = z.infer<typeof desktopRenewalSchema>;
export type DesktopSummary = z.infer<typeof desktopSummarySchema>;
export type DesktopStatus = z.infer<typeof desktopStatusSchema>;
export type DesktopResponse = z.infer<typeof desktopResponseSchema>;
export type DesktopCommand = z.infer<typeof desktopCommandSchema>;
export type CannotStart = z.infer<typeof cannotStartSchema>;
export type FromServer = z.infer<typeof fromServerSchema>;
export type FromDesktopApp = z.infer<typeof fromDesktopAppSchema>;
