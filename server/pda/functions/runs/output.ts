import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { scanEnvelopeBody, scanJsonBody } from '../../../platform/json/body.ts';
import type { JsonFailure } from '../../../platform/json/text.ts';
import { MAX_FUNCTION_OUTPUT_BYTES, MAX_RECORDS_PER_REQUEST } from '../../../wire/limits.ts';

export type Output = { ok: true; data: Buffer[] } | { ok: false; problem: string };

const SHOWN_PATH_CHARS = 400;
/** Number of items, and of characters of their data, after which parsing yields to the event loop. */
const ITEMS_PER_TURN = 1000;
const CHARS_PER_TURN = 100_000;

const reject = (problem: string): Output => ({ ok: false, problem });
const rejectInvalidJson = ({ cause }: JsonFailure): Output => reject(`The output cannot be stored: ${cause}.`);

const destinationSchema = z.looseObject({ namespace: z.string(), endpoint: z.string() });

/**
 * Parses output of the form `[{namespace, endpoint, data: [...]}]`, all for one endpoint. Yields to the event loop
 * regularly.
 */
export const parseOutput = async (text: string, endpoint: string): Promise<Output> => {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FUNCTION_OUTPUT_BYTES)
    return reject(`The output has ${bytes.length} bytes, more than the limit of ${MAX_FUNCTION_OUTPUT_BYTES}.`);
  const scan = await scanEnvelopeBody(bytes, 'data');
  if (!scan.ok) return rejectInvalidJson(scan);
  if (scan.kind !== 'array') return reject('The output is not a list of {namespace, endpoint, data}.');
  if (scan.count > MAX_RECORDS_PER_REQUEST) return reject(`The output has more than ${MAX_RECORDS_PER_REQUEST} items.`);
  const data: Buffer[] = [];
  let charsInTurn = 0;
  for (const [index, { raw, otherMembers }] of scan.envelopes.entries()) {
    if (index % ITEMS_PER_TURN === 0 || charsInTurn >= CHARS_PER_TURN) {
      await yieldToEventLoop();
      charsInTurn = 0;
    }
    const destination = destinationSchema.safeParse(otherMembers);
    if (!destination.success || raw === undefined)
      return reject('The output contains an item without namespace, endpoint or data.');
    const path = `${destination.data.namespace}/${destination.data.endpoint}`;
    if (path !== endpoint)
      return reject(
        `The output is for ${path.slice(0, SHOWN_PATH_CHARS)}, but the function may store only at ${endpoint}.`,
      );
    const elements = await scanJsonBody(Buffer.from(raw));
    charsInTurn += raw.length;
    if (!elements.ok) return rejectInvalidJson(elements);
    if (elements.kind !== 'array') return reject('The data in the output is not a list.');
    if (data.length + elements.count > MAX_RECORDS_PER_REQUEST)
      return reject(`The output has more than ${MAX_RECORDS_PER_REQUEST} records.`);
    for (const element of elements.elements) data.push(element);
  }
  return { ok: true, data };
};
