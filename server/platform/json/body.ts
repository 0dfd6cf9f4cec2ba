import { setImmediate as nextTurn } from 'node:timers/promises';
import { LARGE_BODY_BYTES } from '../../wire/limits.ts';
import { createIdleThread } from '../workers/idle-thread.ts';
import {
  failureAt,
  JSON_LIMITS,
  parseEnvelope,
  scanEnvelopes,
  scanJson,
  scanValue,
  type Envelope,
  type EnvelopeScan,
  type EnvelopeText,
  type JsonFailure,
  type JsonLimits,
  type JsonScan,
} from './text.ts';

// Scanning 10 MB takes up to a second, so a thread scans large bodies.

/**
 * `rawMember`: scans envelopes, which are objects whose member of this name is kept as text. `whole`: scans the body as
 * one value. Default: scans elements.
 */
export type BodyScanRequest = { bytes: Uint8Array; limits: JsonLimits; rawMember?: string; whole?: true };
/** Elements as one byte sequence, with the position after each element. */
export type ElementReply = Pick<JsonScan, 'ok' | 'kind' | 'count'> & { bytes: Uint8Array; ends: number[] };
export type ValueReply = { ok: true; text: string };
export type BodyScanReply = ElementReply | EnvelopeScan<EnvelopeText> | ValueReply | JsonFailure;

/** Heap limit of the thread. The names of an object of 10 MB take about 100 MB. */
const HEAP_MAX_MB = 256;
const CHARS_PER_TURN = 100_000;

const thread = createIdleThread<BodyScanRequest, BodyScanReply>({
  file: new URL('./body-worker.ts', import.meta.url),
  idleMs: 10_000,
  exitMessage: 'the JSON thread has ended',
  resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
});

/** Scans like `scanJson`, without blocking the event loop. */
export const scanJsonBody = async (body: Buffer, limits: JsonLimits = JSON_LIMITS): Promise<JsonScan | JsonFailure> => {
  if (body.length <= LARGE_BODY_BYTES) return scanJson(body, limits);
  const reply = await thread.send({ bytes: body, limits });
  if (!reply.ok) return reply;
  const { kind, count, bytes, ends } = reply as ElementReply;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { ok: true, kind, count, elements: ends.map((end, index) => buffer.subarray(ends[index - 1] ?? 0, end)) };
};

/** Scans like `scanValue`, without blocking the event loop. */
export const scanValueBody = async (body: Buffer): Promise<ValueReply | JsonFailure> => {
  if (body.length <= LARGE_BODY_BYTES) return scanValue(body);
  return (await thread.send({ bytes: body, limits: JSON_LIMITS, whole: true })) as ValueReply | JsonFailure;
};

/**
 * Scans like `scanEnvelopes`, without blocking the event loop. A large body is refused as `large_members` if an object
 * in it has more than LARGE_BODY_BYTES characters besides `rawMember`.
 */
export const scanEnvelopeBody = async (
  body: Buffer,
  rawMember: string,
  limits: JsonLimits = JSON_LIMITS,
): Promise<EnvelopeScan | JsonFailure> => {
  if (body.length <= LARGE_BODY_BYTES) return scanEnvelopes(body, rawMember, limits);
  const reply = await thread.send({ bytes: body, limits, rawMember });
  if (!reply.ok) return reply;
  const scan = reply as EnvelopeScan<EnvelopeText>;
  const envelopes: Envelope[] = [];
  let charsInTurn = 0;
  for (const envelope of scan.envelopes) {
    if (envelope.otherMembers.length > LARGE_BODY_BYTES) {
      const reason = `an object has more than ${LARGE_BODY_BYTES / 1000} kB besides "${rawMember}"`;
      return failureAt(body, 'large_members', envelope.start, reason);
    }
    envelopes.push(parseEnvelope(envelope));
    charsInTurn += envelope.otherMembers.length;
    if (charsInTurn < CHARS_PER_TURN) continue;
    await nextTurn();
    charsInTurn = 0;
  }
  return { ...scan, envelopes };
};
