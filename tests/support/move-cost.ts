import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { exportAccount } from '../../server/pda/account/transfer/export/writer.ts';
import { importArchive } from '../../server/pda/account/transfer/import/importer.ts';
import { transferTools } from '../../server/pda/account/transfer/worker/tools.ts';

// A process that runs one export or import and prints its peak memory in megabytes.

const task = JSON.parse(process.argv[2] ?? '') as { op: 'export' | 'import'; home: string; archive: string };
const { home, archive } = task;
const onProgress = (): void => undefined;

if (task.op === 'import') await importArchive(archive, { ...transferTools, home, now: Date.now(), onProgress });
else {
  const stream = createWriteStream(archive);
  await exportAccount({
    home,
    snapshotPath: `${archive}.sqlite`,
    program: '0.0.0',
    now: Date.now(),
    codecs: transferTools.codecs,
    onProgress,
    write: async (bytes) => {
      if (!stream.write(bytes)) await once(stream, 'drain');
    },
  });
  stream.end();
  await finished(stream);
}
process.stdout.write(String(Math.round(process.resourceUsage().maxRSS / 1024)));
