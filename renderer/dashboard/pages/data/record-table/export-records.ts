import { call } from '../../../../shared/api/client.ts';
import type { ExportFormat } from '../../../../shared/api/contract.ts';
import { startDownload } from '../../../../shared/api/url.ts';
import { runWithToast, showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import type { RecordSelection } from '../../../api/queries.ts';
import type { ExportedColumn } from './export-columns.ts';

/** All records of an endpoint, records that match a selection, or the records in `ids` in the selection's order. */
export type ExportedRecords = { endpoint: string; selection?: RecordSelection; ids?: readonly string[] };

function selectionOf(selection: RecordSelection | undefined) {
  if (selection === undefined) return {};
  const { search, filters, sorts, oldestFirst } = selection;
  return { selection: { search, filters: [...filters], sorts: [...sorts], oldestFirst } };
}

function orderOf(selection: RecordSelection | undefined) {
  return selection === undefined ? {} : { order: { sorts: [...selection.sorts], oldestFirst: selection.oldestFirst } };
}

/**
 * Starts a download and shows a toast: on success with the text `message`, otherwise with the error.
 * @param columns exported fields; default: all
 */
export async function exportRecords(
  { endpoint, selection, ids }: ExportedRecords,
  format: ExportFormat,
  message: string,
  columns?: readonly ExportedColumn[],
): Promise<void> {
  await runWithToast(async () => {
    const body = {
      endpoint,
      format,
      ...(ids === undefined ? selectionOf(selection) : { records: [...ids], ...orderOf(selection) }),
      ...(columns === undefined ? {} : { columns: [...columns] }),
    };
    const { url } = await call('POST /api/v2.6/owner/exports', { body });
    startDownload(url);
    showToast(m.recordTable.exports.started, message);
  });
}
