import type { ExportResult } from '../export/writer.ts';
import type { ArchiveSummary } from '../import/importer.ts';
import type { TransferErrorKind } from '../format/error.ts';

/* Messages between the server and the transfer process. */

export type OnProgress = (done: number, total: number) => void;

export type TransferJob =
  /** `to`: path of a new file; undefined: standard output. */
  | { op: 'export'; home: string; snapshotPath: string; program: string; now: number; to: string | undefined }
  | { op: 'inspect'; home: string; path: string }
  | { op: 'import'; home: string; path: string; now: number };

export type TransferResults = { export: ExportResult; inspect: ArchiveSummary; import: ArchiveSummary };

export type TransferMessage =
  | { type: 'progress'; done: number; total: number }
  | { type: 'done'; result: TransferResults[keyof TransferResults] }
  | { type: 'problem'; kind: TransferErrorKind; text: string }
  | { type: 'fault'; text: string };
