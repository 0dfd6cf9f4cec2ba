import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeHomeFile } from '../../../../../tests/support/backups.ts';
import { startTestPda } from '../../../../../tests/support/test-pda.ts';
import { unfinishedRestoreOf } from './activation.ts';

it('deletes the folder of an interrupted restore at start', async () => {
  const pda = await startTestPda();
  writeHomeFile(unfinishedRestoreOf(pda.home), 'files/letter.txt', 'Dear all');
  await pda.restart();
  expect(readdirSync(join(pda.home, 'backups'))).not.toContain('restoring');
  await pda.close();
});
