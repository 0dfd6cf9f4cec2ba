import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { anApplication } from './applications.ts';
import { openAuthority } from './authority.ts';
import { APPLICATION, CALLBACK, CANARIES, joinLine, LINES, RELAY_DOMAIN } from './outside.ts';
import { OWNER } from './test-pda.ts';
import { startTunnelPda } from './tunnel.ts';

/** A PDA at home, behind its line to the relay. Says what to trust once it is reachable, and ends with its standard input. */

const LOOK_EVERY_MS = 50;

const lines = createInterface({ input: process.stdin });
process.stdout.write('up\n');
const [said] = (await once(lines, 'line')) as [string];
const { port, folder, ca } = JSON.parse(said) as { port: number; folder: string; ca: string };
const over = once(lines, 'close');
await joinLine(LINES.pda);

// Where the authority stands is all the same to it: it asks the name, which leads to the relay.
const authority = await openAuthority(() => ({ host: LINES.pda.relay, port }));
const authorities = join(folder, 'authorities.pem');
writeFileSync(authorities, `${authority.trust}\n${ca}`);
const roles = [
  { role: 'namespaceread', detail: CANARIES.endpoint },
  { role: 'namespacewrite', detail: CANARIES.endpoint },
  { role: 'datadebit', detail: `${APPLICATION}-debit` },
] as const;
const pda = await startTunnelPda({
  config: {
    tunnel: { relay: `https://${RELAY_DOMAIN}:${port}`, domain: RELAY_DOMAIN, authority: authority.url },
    applications: [anApplication({ id: APPLICATION, roles: [...roles], setup: { url: CALLBACK } })],
    development: { authorities },
  },
  network: { resolve: () => Promise.resolve([{ address: LINES.pda.relay, family: 4 }]) },
});
for (;;) {
  const { state } = await pda.exposure();
  if (state === 'reachable') break;
  await pause(LOOK_EVERY_MS);
}
process.stdout.write(`${JSON.stringify({ trust: authority.trust, owner: OWNER })}\n`);
await over;
await pda.close();
await authority.close();
