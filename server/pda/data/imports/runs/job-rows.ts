import { randomUUID } from 'node:crypto';
import { isoTime, isoTimeOrNull } from '../../../../platform/clock.ts';
import type { ImportJob } from '../../../../wire/imports.ts';
import type { KindRow } from './kinds-store.ts';
import { partsOf } from './options-rules.ts';
import type { ImportRow, NewImportRow } from '../store.ts';
import type { ElementProblem } from '../tabular/element-source.ts';

type JobDetails = { kinds: readonly KindRow[]; problems: readonly ElementProblem[] };

export const toImportJob = (row: ImportRow, { kinds, problems }: JobDetails): ImportJob => ({
  importId: row.id,
  fileName: row.file_name,
  files: partsOf(row).map(({ name, size }) => ({ name, size })),
  size: row.size,
  received: row.received,
  state: row.state,
  endpoint: row.endpoint,
  format: row.format,
  bytesRead: row.bytes_read,
  added: row.added,
  skipped: row.skipped,
  changed: row.changed_records,
  kinds: kinds
    .filter(({ added, same, changed }) => added + same + changed > 0)
    .map(({ endpoint, added, same, changed }) => ({ endpoint, added, same, changed })),
  problems: { count: row.problem_count, first: [...problems] },
  error: row.error_problem === null ? null : { line: row.error_line, problem: row.error_problem },
  started: isoTimeOrNull(row.started),
  finished: isoTimeOrNull(row.finished),
  dismissed: row.dismissed !== null,
  created: isoTime(row.created),
});

export const createImportRow = (fileName: string, size: number, created: number): NewImportRow => ({
  id: randomUUID(),
  file_name: fileName,
  path: null,
  changed: null,
  size,
  received: 0,
  state: size === 0 ? 'ready' : 'receiving',
  parts: null,
  created,
});
