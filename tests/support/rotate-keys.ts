import { silentLog } from '../../server/platform/log.ts';
import { createPda } from '../../server/pda/pda.ts';
import { OWNER } from './test-pda.ts';

/** A PDA that changes its signing key again and again, and says a token of each key: the process is to be ended in the middle. Argument: its home. */
const pda = await createPda({ home: process.argv[2] ?? '', log: silentLog() });
const { port } = await pda.listen();
const from = { address: '127.0.0.1', host: `127.0.0.1:${port}`, local: true, userAgent: '' };
for (;;) {
  const { accessToken } = await pda.owner.signIn(OWNER.name, OWNER.password, from);
  process.stdout.write(`${accessToken}\n`);
  await pda.owner.rotateKey();
}
