import { queryOptions } from '@tanstack/react-query';
import { fetchAuthorised } from '../../shared/api/client.ts';
import type { BrowsedRecord } from '../../shared/api/contract.ts';
import { memberText } from '../../shared/api/member-text.ts';
import { Problem } from '../../shared/api/problem.ts';
import { queryClient } from '../../shared/api/query-client.ts';
import { urlOf } from '../../shared/api/url.ts';
import { record, refreshData } from './queries.ts';

// Data of records as JSON text. Parsing would change numbers such as 1.0, and the order of numeric names.

/** Returns the data as stored. @throws {Problem} if the record cannot be read */
export async function fetchRecordText(recordId: string, signal?: AbortSignal): Promise<string> {
  const url = urlOf('/api/v2.6/owner/records/:recordId', { params: { recordId } });
  const response = await fetchAuthorised(url, signal === undefined ? {} : { signal });
  const text = memberText(await response.text(), 'data');
  if (text === undefined) throw new Problem('unreadable', response.status, '');
  return text;
}

/** Query of the data as stored. Not cached, because an editor must begin with the current data. */
export const recordText = (recordId: string) =>
  queryOptions({
    queryKey: [...record(recordId).queryKey, 'text'],
    queryFn: ({ signal }) => fetchRecordText(recordId, signal),
    gcTime: 0,
  });

const sendJson = (method: 'POST' | 'PUT', url: string, body: string): Promise<Response> =>
  fetchAuthorised(url, { method, body, headers: { 'content-type': 'application/json' } });

/** @throws {Problem} if the PDA refuses the data */
export async function saveRecordText(
  { endpoint, recordId }: Pick<BrowsedRecord, 'endpoint' | 'recordId'>,
  text: string,
): Promise<void> {
  const envelope = JSON.stringify({ endpoint, recordId });
  await sendJson('PUT', '/api/v2.6/data', `[${envelope.slice(0, -1)},"data":${text}}]`);
  await queryClient.invalidateQueries({ queryKey: record(recordId).queryKey });
  await refreshData(endpoint);
}

/**
 * Stores one record, or one for each element of a list. Returns the number of records.
 * @throws {Problem} if the PDA refuses the data
 */
export async function addRecordText(endpoint: string, text: string): Promise<number> {
  const response = await sendJson('POST', urlOf('/api/v2.6/data/*endpoint', { params: { endpoint } }), text);
  const storedRecords: unknown = await response.json();
  await refreshData(endpoint);
  return Array.isArray(storedRecords) ? storedRecords.length : 1;
}
