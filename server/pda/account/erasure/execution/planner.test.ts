import { expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { startTestPda } from '../../../../../tests/support/test-pda.ts';
import { erasurePreviewSchema } from '../../../../wire/erasure.ts';

it('the preview for an application or a namespace includes endpoints from which the owner deleted all records', async () => {
  const application = anApplication({ id: 'notes', roles: [{ role: 'namespacewrite', detail: 'notes' }] });
  const pda = await startTestPda({ config: { applications: [application] } });
  const token = await setUpApplication(pda, 'notes');
  const store = async (endpoint: string): Promise<string> => {
    const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: { text: 'a note' }, token });
    expect(reply.status, reply.text).toBe(201);
    return (reply.json as { recordId: string }).recordId;
  };
  const removeData = async (json: object): Promise<void> =>
    expect((await pda.call('POST', '/api/v2.6/owner/deletions', { json })).status).toBeLessThan(300);
  await store('notes/current');
  await store('notes/endpoint');
  await removeData({ endpoint: 'notes/endpoint' });
  await removeData({ records: [await store('notes/records')] });
  // Permanently deletes the last record of the endpoint, and thereby the endpoint.
  const lastRecord = await store('notes/records');
  expect((await pda.call('DELETE', `/api/v2.6/data?records=${lastRecord}`)).status).toBe(200);
  await pda.call('POST', '/api/v2.6/data/notes/other', { json: { text: 'of the owner' } });
  const preview = async (query: string) =>
    erasurePreviewSchema.parse((await pda.call('GET', `/api/v2.6/owner/erasure-preview?${query}`)).json);
  const ofApplication = await preview('kind=application&target=NOTES');
  expect(ofApplication.endpoints).toStrictEqual(['notes/current', 'notes/endpoint', 'notes/records']);
  expect([ofApplication.what.records, ofApplication.what.deletedRecords]).toStrictEqual([1, 2]);
  const ofNamespace = await preview('kind=namespace&target=notes');
  expect(ofNamespace.endpoints).toStrictEqual(['notes/current', 'notes/endpoint', 'notes/other', 'notes/records']);
  expect([ofNamespace.what.records, ofNamespace.what.deletedRecords]).toStrictEqual([2, 2]);
  await pda.close();
});
