import { z } from 'zod';
import { backupStandSchema } from './backup.ts';
import { pathNameSchema } from './common.ts';
import { exposureStateSchema } from './exposure.ts';
import { LANGUAGES } from './language.ts';

/**
 * What the desktop app and the server that it started say to each other, over the channel that only the two of them hold (docs/adr/0022). Both
 * sides check every message; what is not one of these is refused.
 */

/** Requests in one message; the total number is sent beside them. */
export const MAX_REQUESTS_TOLD = 20;
export const MAX_RENEWALS_TOLD = 20;
/** Characters that a notification shows on every system without cutting them. */
export const MAX_NOTIFICATION_TITLE_CHARS = 60;
export const MAX_NOTIFICATION_BODY_CHARS = 180;
/** Orders of the app that are worked on at once. */
export const MAX_DESKTOP_ORDERS = 16;

const fingerprintSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/u);

/** A Data Debit that wants a decision, in the words of a notification. */
export const desktopRequestSchema = z.strictObject({
  key: pathNameSchema,
  permissionId: z.string().min(1).max(100),
  /** Who asks, as they call themselves, without what could pretend to be something else. */
  asker: z.string().max(200),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
  /** Of exactly these terms, when title and body are all of them: only then it can be approved from here. null: they are more than this. */
  fingerprint: fingerprintSchema.nullable(),
});

/** A permission that went on by itself, in the words of a notification. */
export const desktopRenewalSchema = z.strictObject({
  key: pathNameSchema,
  /** Another one for each period of each permission. */
  id: z.string().min(1).max(150),
  title: z.string().min(1).max(MAX_NOTIFICATION_TITLE_CHARS),
  body: z.string().min(1).max(MAX_NOTIFICATION_BODY_CHARS),
});

/** How things stand: sent when it was asked for, and at each change. */
export const desktopStandSchema = z.strictObject({
  type: z.literal('stand'),
  /** Newest first. */
  requests: z.array(desktopRequestSchema).max(MAX_REQUESTS_TOLD),
  requestsWaiting: z.int().min(0),
  /** Of the last days, newest first; a server of before this was said knows none. */
  renewals: z.array(desktopRenewalSchema).max(MAX_RENEWALS_TOLD).default([]),
  exposure: z.strictObject({
    state: exposureStateSchema,
    address: z.string().max(400).nullable(),
    /** Host of a localtunnel server that can read everything; a server of an earlier version has none. */
    readableBy: z.string().max(253).nullable().default(null),
  }),
  functionsPaused: z.boolean(),
  /** A server of before this was said says nothing of it: an app that went back to one goes on showing the rest. */
  backup: backupStandSchema.default('none'),
});

const orderId = z.int().min(1);

/** What came of an order. */
export const desktopAnswerSchema = z.discriminatedUnion('done', [
  z.strictObject({ type: z.literal('answer'), id: orderId, done: z.literal(true) }),
  z.strictObject({
    type: z.literal('answer'),
    id: orderId,
    done: z.literal(false),
    /** For a person, in English. */
    reason: z.string().max(500),
    /** Of the failure; what it means can be said in other languages by it. */
    code: z.string().max(50).optional(),
  }),
]);

/** Why a server that cannot open its home ends. */
export const cannotStartSchema = z.strictObject({
  type: z.literal('cannot-start'),
  kind: z.enum(['in_use', 'unusable', 'damaged', 'newer', 'not_a_pda', 'other']),
  reason: z.string().max(1000),
});

export const fromServerSchema = z.union([desktopStandSchema, desktopAnswerSchema, cannotStartSchema]);

/** What the app can ask for. */
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
  /** The computer slept: what waits for the network tries at once. */
  z.strictObject({ type: z.literal('woke-up') }),
]);

export const fromShellSchema = z.discriminatedUnion('type', [
  /** From now on it wants to know how things stand. */
  z.strictObject({
    type: z.literal('watch'),
    /** That the words of notifications are to be in; English where it is left out. */
    language: z.enum(LANGUAGES).optional(),
  }),
  /** Where there is no signal that asks a process to stop. */
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('order'), id: orderId, order: desktopOrderSchema }),
]);

export type DesktopRequest = z.infer<typeof desktopRequestSchema>;
export type DesktopRenewal = z.infer<typeof desktopRenewalSchema>;
export type DesktopStand = z.infer<typeof desktopStandSchema>;
export type DesktopAnswer = z.infer<typeof desktopAnswerSchema>;
export type DesktopOrder = z.infer<typeof desktopOrderSchema>;
export type CannotStart = z.infer<typeof cannotStartSchema>;
export type FromServer = z.infer<typeof fromServerSchema>;
export type FromShell = z.infer<typeof fromShellSchema>;
