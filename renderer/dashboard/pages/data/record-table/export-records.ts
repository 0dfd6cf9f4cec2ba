import { call } from '../../../../shared/api/client.ts';
import type { ExportFormat } from '../../../../shared/api/contract.ts';
import { showProblemToast, showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import type { RecordSelection } from '../../../api/queries.ts';

/** Records to export: all records of an endpoint, those that match a selection, or those with the given ids. */
export type ExportedRecords = { endpoint: string; selection?: RecordSelection; ids?: readonly string[] };

/** Starts the download of records and shows a message, or shows why the download could not start. */
export async function exportRecords(
  { endpoint, selection, ids }: ExportedRecords,
  format: ExportFormat,
  message: string,
): Promise<void> {
  try {
    const body = {
      endpoint,
      format,
      ...(selection === undefined
        ? {}
        : {
            selection: {
              search: selection.search,
              filters: [...selection.filters],
              sorts: [...selection.sorts],
              oldestFirst: selection.oldestFirst,
            },
          }),
      ...(ids === undefined ? {} : { records: [...ids] }),
    };
    const { url } = await call('POST /api/v2.6/owner/exports', { body });
    const link = document.createElement('a');
    link.href = url;
    link.download = '';
    link.click();
    showToast(m.recordTable.exports.started, message);
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}
