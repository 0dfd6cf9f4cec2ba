import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { anApplication } from './applications.ts';
import { openAuthority } from './authority.ts';
import { APPLICATION, CALLBACK, CANARIES, joinLink, LINKS, RELAY_DOMAIN } from './outside.ts';
import { OWNER } from './test-pda.ts';
import { startTunnelPda } from './tunnel.ts';

// A PDA in the home network, connected to the relay. Once it is reachable, it prints the certificate to trust and the
// owner's credentials. Exits when its standard input closes.

const POLL_MS = 50;

const lines = createInterface({ input: process.stdin });
process.stdout.write('up\n');
const [parameters] = (await once(lines, 'line')) as [string];
const { port, folder, ca } = JSON.parse(parameters) as { port: number; folder: string; ca: string };
const inputClosed = once(lines, 'close');
await joinLink(LINKS.pda);

// The authority runs in the network of the PDA, but validates the name through the relay.
const authority = await openAuthority(() => ({ host: LINKS.pda.relay, port }));
const authorities = join(folder, 'authorities.pem');
writeFileSync(authorities, `${authority.rootPem}\n${ca}`);
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
  network: { resolve: () => Promise.resolve([{ address: LINKS.pda.relay, family: 4 }]) },
});
for (;;) {
  const { state } = await pda.exposure();
  if (state === 'reachable') break;
  await pause(POLL_MS);
}
process.stdout.write(`${JSON.stringify({ trustedRoot: authority.rootPem, owner: OWNER })}\n`);
await inputClosed;
await pda.close();
await authority.close();
