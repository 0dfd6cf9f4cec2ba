import { dieAt } from './die-at.ts';

/**
 * A process that ends as a power cut would, right before its n-th change of the disk; a write is made by half. It imports and adopts as the program does.
 * Arguments: what to do (JSON), and n. The last line it says, when it comes to its end, is how many changes it made.
 */

export type Deed = { op: 'import'; home: string; archive: string } | { op: 'adopt'; home: string };

const deed = JSON.parse(process.argv[2] ?? '') as Deed;
const changes = dieAt(Number(process.argv[3]));

if (deed.op === 'import') {
  const { importArchive } = await import('../../server/pda/account/transfer/import/importer.ts');
  const { transferTools } = await import('../../server/pda/account/transfer/worker/tools.ts');
  await importArchive(deed.archive, { ...transferTools, home: deed.home, now: Date.now(), tell: () => undefined });
} else {
  const { adoptMoved } = await import('../../server/pda/account/transfer/import/activation.ts');
  adoptMoved(deed.home, Date.now());
}
process.stdout.write(`${changes()}\n`);
