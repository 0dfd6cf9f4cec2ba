import { silentLog } from '../../server/platform/log.ts';
import { createPda } from '../../server/pda/pda.ts';
import { OWNER } from './test-pda.ts';

/**
 * Starts a PDA and rotates its signing key until the process is killed. Prints an access token signed with each key.
 * Argument: the home of the PDA.
 */
const pda = await createPda({ home: process.argv[2] ?? '', log: silentLog() });
const { port } = await pda.listen();
const origin = { address: '127.0.0.1', host: `127.0.0.1:${port}`, local: true, userAgent: '' };
for (;;) {
  const { accessToken } = await pda.owner.signIn(OWNER.name, OWNER.password, origin);
  process.stdout.write(`${accessToken}\n`);
  await pda.owner.rotateKey();
}
