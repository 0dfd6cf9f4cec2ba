import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';

const EXPORTS = '/api/v2.6/owner/ledger-exports';
const STEPS = '/api/v2.6/data/fitness/steps';
/** One more than the batch size of the export. */
const READS = 501;

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: { applications: [anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'fitness' }] })] },
  });
  await pda.call('POST', STEPS, { json: 1 });
  const token = await setUpApplication(pda, 'notes');
  for (let read = 0; read < READS; read += 1) await pda.call('GET', STEPS, { token });
  await pda.call('GET', '/api/v2.6/data/finance/accounts', { token });
});
afterAll(() => pda.close());

const download = async (format: 'csv' | 'json', filter: object = {}) => {
  const ticketReply = await pda.call('POST', EXPORTS, { json: { format, filter } });
  expect(ticketReply.status).toBe(201);
  const { url } = z.object({ url: z.string() }).parse(ticketReply.json);
  return { url, reply: await pda.call('GET', url, { token: null }) };
};
const entriesOf = (body: Buffer | string) =>
  z
    .array(z.looseObject({ outcome: z.string(), who: z.object({ name: z.string().nullable() }) }))
    .parse(JSON.parse(body.toString()));

describe('the export of the access history', () => {
  it('contains exactly the entries that match, as JSON and as CSV', async () => {
    const filter = { application: 'notes', outcome: 'allowed', search: 'steps' };
    const { reply } = await download('json', filter);
    const entries = entriesOf(reply.body);
    expect(entries).toHaveLength(READS);
    expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(['allowed']));
    const csv = (await download('csv', filter)).reply;
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.headers['content-disposition']).toBe('attachment; filename="access-history.csv"');
    expect(csv.body.toString().trimEnd().split('\r\n')).toHaveLength(READS + 1);
    expect(entriesOf((await download('json', { application: 'notes', outcome: 'refused' })).reply.body)).toHaveLength(
      1,
    );
  });

  it('is an empty JSON array or only the CSV header if no entry matches', async () => {
    expect((await download('json', { application: 'unknown' })).reply.body.toString()).toBe('[]\n');
    expect((await download('csv', { application: 'unknown' })).reply.body.toString()).toMatch(
      /^time,last,[^\n]*\r\n$/u,
    );
  });

  it('can be downloaded once, within a minute, and not with a guessed ticket', async () => {
    const { url } = await download('json', { application: 'unknown' });
    expect((await pda.call('GET', url, { token: null })).status).toBe(404);
    expect((await pda.call('GET', `${EXPORTS}/guessed`, { token: null })).status).toBe(404);
    const lateReply = await pda.call('POST', EXPORTS, { json: { format: 'csv', filter: {} } });
    pda.clock.advance(61_000);
    const { url: lateUrl } = z.object({ url: z.string() }).parse(lateReply.json);
    expect((await pda.call('GET', lateUrl, { token: null })).status).toBe(404);
  });

  it('refuses unknown filters and formats', async () => {
    expect((await pda.call('POST', EXPORTS, { json: { format: 'csv', filter: { reader: 'x' } } })).status).toBe(400);
    expect((await pda.call('POST', EXPORTS, { json: { format: 'xml', filter: {} } })).status).toBe(400);
  });
});
