import type { ImportJob } from '../../../../shared/api/contract.ts';
import { number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { importPath } from '../../../navigation.ts';
import type { AttentionItem } from './attention-item.ts';

const texts = m.home;
const MAX_LISTED_IMPORTS = 5;

export function importItems(jobs: readonly ImportJob[]): AttentionItem[] {
  const items: AttentionItem[] = [];
  for (const job of jobs) {
    const base = { id: job.importId, to: importPath(job.importId) };
    if (job.state === 'failed' && !job.dismissed) {
      const importedText = m.data.records(job.added);
      const line = job.error?.line ?? null;
      const text =
        line === null ? texts.importFailedNoLine(importedText) : texts.importFailedAt(number(line), importedText);
      const title = texts.importFailed(job.fileName);
      items.push({ ...base, title, text, isError: true, dismissibleImport: job.importId });
    } else if (job.state === 'ready') {
      items.push({ ...base, title: texts.importReady(job.fileName), text: '', isError: false });
    } else if (job.state === 'receiving') {
      items.push({ ...base, title: texts.importReceiving(job.fileName), text: '', isError: false });
    }
  }
  const furtherItems = items.slice(MAX_LISTED_IMPORTS);
  if (furtherItems.length === 0) return items;
  const title = texts.importsMore(furtherItems.length);
  const isError = furtherItems.some((item) => item.isError);
  const summaryItem = { id: 'imports', count: furtherItems.length, title, text: '', to: '/data/imports', isError };
  return [...items.slice(0, MAX_LISTED_IMPORTS), summaryItem];
}
