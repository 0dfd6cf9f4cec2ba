import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../platform/clock.ts';
import { silentLog } from '../../../platform/log.ts';
import { registerQueryFunctions } from '../../data/queries/sql/functions.ts';
import { openDatabase } from '../../storage/database.ts';
import { createWriter } from '../../storage/writer.ts';
import { createFileStore } from '../store.ts';
import { createFileTextIndexer } from './indexer.ts';
import { createFileTextStore } from './store.ts';

// Program that indexes the files of a folder as the server does. A file with the content `kill` ends the process.

const [home = ''] = process.argv.slice(2);
const db = openDatabase(join(home, 'pda.sqlite'), {
  backups: join(home, 'backups'),
  registerFunctions: registerQueryFunctions,
});
const writer = createWriter(db);
const store = createFileTextStore(db, { all: async () => [] });
const indexer = createFileTextIndexer({
  store,
  files: createFileStore(db),
  disk: { open: ({ path }) => open(join(home, 'files', path ?? '')) },
  writer,
  events: { onTopic: () => () => undefined },
  settings: () => ({ enabled: true, excludedSources: [], fileTexts: true }),
  clock: systemClock,
  log: silentLog(),
  thread: { file: new URL('./faulty-thread.test-support.ts', import.meta.url), maxMs: 60_000 },
});
indexer.start();
while (!store.isComplete()) await pause(5);
await indexer.close();
await writer.close();
db.close();
