import { killAtChange } from './die-at.ts';

/**
 * A process that imports an archive or activates an import with the code of the program. It is killed, as in a power
 * cut, right before its n-th change on the disk; a write is cut in half.
 * Arguments: the step (JSON), and n. If it completes, it prints the number of changes.
 */

export type KilledStep = { op: 'import'; home: string; archive: string } | { op: 'adopt'; home: string };

const request = JSON.parse(process.argv[2] ?? '') as KilledStep;
const changes = killAtChange(Number(process.argv[3]));

if (request.op === 'import') {
  const { importArchive } = await import('../../server/pda/account/transfer/import/importer.ts');
  const { transferTools } = await import('../../server/pda/account/transfer/worker/tools.ts');
  await importArchive(request.archive, {
    ...transferTools,
    home: request.home,
    now: Date.now(),
    onProgress: () => undefined,
  });
} else {
  const { replaceWithImport } = await import('../../server/pda/account/transfer/import/activation.ts');
  replaceWithImport(request.home, Date.now());
}
process.stdout.write(`${changes()}\n`);
