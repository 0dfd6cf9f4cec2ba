import type { Exported } from '../export/writer.ts';
import type { About } from '../import/importer.ts';
import type { MoveProblemKind } from '../format/error.ts';

/** What the server and the process that does the work say to each other. */

export type TransferJob =
  /** `to`: a file that must not be there; without one the archive goes to standard output. */
  | { op: 'export'; home: string; scratch: string; program: string; now: number; to: string | undefined }
  | { op: 'look'; home: string; path: string }
  | { op: 'import'; home: string; path: string; now: number };

export type TransferResults = { export: Exported; look: About; import: About };

export type TransferProgress =
  | { type: 'progress'; done: number; total: number }
  | { type: 'done'; result: TransferResults[keyof TransferResults] }
  | { type: 'problem'; kind: MoveProblemKind; text: string }
  | { type: 'fault'; text: string };
