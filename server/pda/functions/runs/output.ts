import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { scanEnvelopes, scanJson, type JsonFailure } from '../../../platform/json/text.ts';
import { MAX_FUNCTION_OUTPUT_BYTES, MAX_RECORDS_PER_REQUEST } from '../../../wire/limits.ts';

/** What a run answered, taken apart: the texts of the records to store, or why nothing of it is taken. */
export type Output = { ok: true; data: Buffer[] } | { ok: false; problem: string };

/** Characters that take longer than nothing. */
const LONG_CHARS = 100_000;
/** Parts that are gone through before others have their turn. */
const PARTS_AT_ONCE = 1000;

const refused = (problem: string): Output => ({ ok: false, problem });
const notJson = ({ cause }: JsonFailure): Output => refused(`Its answer cannot be stored: ${cause}.`);

const placeSchema = z.looseObject({ namespace: z.string(), endpoint: z.string() });

/** The answer as it should be: `[{namespace, endpoint, data: [...]}]`, all of it for the one endpoint. Others have their turn in between. */
export const readOutput = async (text: string, endpoint: string): Promise<Output> => {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FUNCTION_OUTPUT_BYTES)
    return refused(`Its answer has ${bytes.length} bytes, more than the ${MAX_FUNCTION_OUTPUT_BYTES} that are taken.`);
  const scan = scanEnvelopes(bytes, 'data');
  if (!scan.ok) return notJson(scan);
  if (scan.kind !== 'array') return refused('Its answer is not a list of {namespace, endpoint, data}.');
  if (scan.count > MAX_RECORDS_PER_REQUEST)
    return refused(`Its answer has more than ${MAX_RECORDS_PER_REQUEST} parts.`);
  const data: Buffer[] = [];
  await turn();
  for (const [index, { raw, rest }] of scan.envelopes.entries()) {
    if (index % PARTS_AT_ONCE === 0) await turn();
    const place = placeSchema.safeParse(rest);
    if (!place.success || raw === undefined)
      return refused('Its answer holds something without namespace, endpoint or data.');
    const named = `${place.data.namespace}/${place.data.endpoint}`;
    if (named !== endpoint)
      return refused(`It wanted to store at ${named.slice(0, 400)}; it may store at ${endpoint} alone.`);
    const elements = scanJson(Buffer.from(raw));
    if (raw.length > LONG_CHARS) await turn();
    if (!elements.ok) return notJson(elements);
    if (elements.kind !== 'array') return refused('In its answer, data is not a list.');
    if (data.length + elements.count > MAX_RECORDS_PER_REQUEST)
      return refused(`Its answer holds more than ${MAX_RECORDS_PER_REQUEST} records.`);
    for (const element of elements.elements) data.push(element);
  }
  return { ok: true, data };
};
