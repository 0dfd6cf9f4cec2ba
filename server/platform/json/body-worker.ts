import { serveRequests } from '../workers/idle-thread.ts';
import type { BodyScanReply, BodyScanRequest } from './body.ts';
import { scanEnvelopeTexts, scanJson, scanValue } from './text.ts';

serveRequests(({ bytes, limits, rawMember, whole }: BodyScanRequest): BodyScanReply => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (rawMember !== undefined) return scanEnvelopeTexts(body, rawMember, limits);
  if (whole === true) return scanValue(body, limits);
  const scan = scanJson(body, limits);
  if (!scan.ok) return scan;
  const { kind, count, elements } = scan;
  let end = 0;
  return { ok: true, kind, count, bytes: Buffer.concat(elements), ends: elements.map(({ length }) => (end += length)) };
});
