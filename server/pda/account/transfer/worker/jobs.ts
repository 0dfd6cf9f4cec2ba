import type { ExportResult } from '../export/writer.ts';
import type { ArchiveSummary } from '../import/importer.ts';
import type { TransferErrorKind } from '../format/error.ts';

/* Messages between the server and the transfer process. */

/** A job of the transfer process. */
export type TransferJob =
  /** `to` is the path of a new file. If undefined, the archive is written to standard output. */
  | { op: 'export'; home: string; scratch: string; program: string; now: number; to: string | undefined }
  | { op: 'inspect'; home: string; path: string }
  | { op: 'import'; home: string; path: string; now: number };

/** Results of jobs by operation. */
export type TransferResults = { export: ExportResult; inspect: ArchiveSummary; import: ArchiveSummary };

/** Message of the transfer process. */
export type TransferMessage =
  | { type: 'progress'; done: number; total: number }
  | { type: 'done'; result: TransferResults[keyof TransferResults] }
  | { type: 'problem'; kind: TransferErrorKind; text: string }
  | { type: 'fault'; text: string };
