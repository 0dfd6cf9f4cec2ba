import { z } from 'zod';
import { backupStatusSchema } from './backup.ts';
import { pathNameSchema } from './common.ts';
import { exposureStateSchema } from './exposure.ts';
import { LANGUAGES } from './language.ts';

/**
 * Messages between the desktop app and its server, over an IPC channel that only these two can use (docs/adr/0022).
 * Both sides validate every message and refuse anything else.
 */

/** Maximum number of requests in a status message; the total is sent too. */
export const MAX_NOTIFIED_REQUESTS = 20;
export const MAX_NOTIFIED_RENEWALS = 20;
/** Characters that every system shows in a notification without truncation. */
export const MAX_NOTIFICATION_TITLE_CHARS = 60;
export const MAX_NOTIFICATION_BODY_CHARS = 180;
/** Maximum number of concurrent commands of the app. */
export const MAX_DESKTOP_ORDERS = 16;

const fingerprintSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/u);

/** A Data Debit that waits for a decision, as text of a notification. */
export const desktopRequestSchema = z.strictObject({
  key: pathNameSchema,
  permissionId: z.string().min(1).max(100),
  /** The requester's own name, sanitised for display. */
  asker: z.string().max(200),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
  /**
   * Fingerprint of the exact terms, if title and body state all of them: only then can it be approved from the
   * notification. null: the terms are longer.
   */
  fingerprint: fingerprintSchema.nullable(),
});

/** A permission that was renewed automatically, as text of a notification. */
export const desktopRenewalSchema = z.strictObject({
  key: pathNameSchema,
  /** Unique for each period of each permission. */
  id: z.string().min(1).max(150),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
});

/** Summary of the last complete week, as text of a notification. */
export const desktopSummarySchema = z.strictObject({
  /** Unique for each week. */
  id: z.string().min(1).max(50),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
});

/** Status of the server: sent on subscription and after each change. */
export const desktopStatusSchema = z.strictObject({
  type: z.literal('stand'),
  /** Newest first. */
  requests: z.array(desktopRequestSchema).max(MAX_NOTIFIED_REQUESTS),
  requestsWaiting: z.int().min(0),
  /** Renewals of the last days, newest first. Older servers do not send them. */
  renewals: z.array(desktopRenewalSchema).max(MAX_NOTIFIED_RENEWALS).default([]),
  /** The summary of the last week while it is to be announced. Older servers do not send it. */
  summary: desktopSummarySchema.nullable().default(null),
  exposure: z.strictObject({
    state: exposureStateSchema,
    address: z.string().max(400).nullable(),
    /** Host of a localtunnel server that can read all traffic. Older servers do not send it. */
    readableBy: z.string().max(253).nullable().default(null),
  }),
  functionsPaused: z.boolean(),
  /** Older servers do not send it; the rest of their status stays usable. */
  backup: backupStatusSchema.default('none'),
});

const orderId = z.int().min(1);

/** Result of a command. */
export const desktopAnswerSchema = z.discriminatedUnion('done', [
  z.strictObject({ type: z.literal('answer'), id: orderId, done: z.literal(true) }),
  z.strictObject({
    type: z.literal('answer'),
    id: orderId,
    done: z.literal(false),
    /** Explanation in English. */
    reason: z.string().max(500),
    /** Error code of the failure, for translation. */
    code: z.string().max(50).optional(),
  }),
]);

/** Reason why the server could not open its home and exits. */
export const cannotStartSchema = z.strictObject({
  type: z.literal('cannot-start'),
  kind: z.enum(['in_use', 'unusable', 'damaged', 'newer', 'not_a_pda', 'other']),
  reason: z.string().max(1000),
});

export const fromServerSchema = z.union([desktopStatusSchema, desktopAnswerSchema, cannotStartSchema]);

/** Commands of the app. */
export const desktopOrderSchema = z.discriminatedUnion('type', [
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
  /** The computer woke from sleep: network clients retry immediately. */
  z.strictObject({ type: z.literal('woke-up') }),
]);

export const fromShellSchema = z.discriminatedUnion('type', [
  /** Subscribes to the status. */
  z.strictObject({
    type: z.literal('watch'),
    /** Language of notification texts; default: English. */
    language: z.enum(LANGUAGES).optional(),
  }),
  /** Stops the server on systems without a stop signal. */
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('order'), id: orderId, order: desktopOrderSchema }),
]);

export type DesktopRequest = z.infer<typeof desktopRequestSchema>;
export type DesktopRenewal = z.infer<typeof desktopRenewalSchema>;
export type DesktopSummary = z.infer<typeof desktopSummarySchema>;
export type DesktopStatus = z.infer<typeof desktopStatusSchema>;
export type DesktopAnswer = z.infer<typeof desktopAnswerSchema>;
export type DesktopOrder = z.infer<typeof desktopOrderSchema>;
export type CannotStart = z.infer<typeof cannotStartSchema>;
export type FromServer = z.infer<typeof fromServerSchema>;
export type FromShell = z.infer<typeof fromShellSchema>;
