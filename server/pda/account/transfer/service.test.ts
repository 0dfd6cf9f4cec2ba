import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moveSchema, moveTicketSchema } from '../../../wire/move.ts';
import { OWNER, startTestPda } from '../../../../tests/support/test-pda.ts';

const PATH = '/api/v2.6/owner/move';

it('an export that fails to start does not block the next one', async () => {
  const pda = await startTestPda();
  const download = async (): Promise<number> => {
    const ticket = await pda.call('POST', `${PATH}/exports`, { json: { password: OWNER.password } });
    expect(ticket.status, ticket.text).toBe(201);
    return (await pda.call('GET', moveTicketSchema.parse(ticket.json).url)).status;
  };
  const blocker = join(pda.home, 'backups', 'move');
  writeFileSync(blocker, '');
  expect(await download()).toBe(500);
  expect(moveSchema.parse((await pda.call('GET', PATH)).json).exporting).toBeNull();
  rmSync(blocker);
  expect(await download()).toBe(200);
  await pda.close();
});
