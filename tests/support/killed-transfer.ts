import { killAtChange } from './kill-at-change.ts';

// Process that imports an archive or activates an import, and kills itself at its n-th change to the disk
// (`killAtChange`).
// Arguments: the step (JSON), and n. If the step completes, the process prints the number of changes.

export type KilledTransferStep = { op: 'import'; home: string; archive: string } | { op: 'activate'; home: string };

const step = JSON.parse(process.argv[2] ?? '') as KilledTransferStep;
const countChanges = killAtChange(Number(process.argv[3]));

if (step.op === 'import') {
  const { importArchive } = await import('../../server/pda/account/transfer/import/importer.ts');
  const { transferTools } = await import('../../server/pda/account/transfer/worker/tools.ts');
  await importArchive(step.archive, {
    ...transferTools,
    home: step.home,
    now: Date.now(),
    onProgress: () => undefined,
  });
} else {
  const { replaceWithImport } = await import('../../server/pda/account/transfer/import/activation.ts');
  const { isIgnoredFile } = await import('../../server/pda/files/folder/rules.ts');
  replaceWithImport(step.home, { now: Date.now(), isIgnoredFile });
}
process.stdout.write(`${countChanges()}\n`);
