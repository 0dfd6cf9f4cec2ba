import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from './support/server-process.ts';
import { startStandInRelay, startTunnelPda, type StandInRelay, type TunnelPda } from './support/tunnel.ts';

let relay: StandInRelay;
let pda: TunnelPda;
let authorities: string;
beforeAll(async () => {
  relay = await startStandInRelay();
  authorities = join(newFolder(), 'authorities.pem');
  pda = await startTunnelPda({
    config: { tunnel: { relay: relay.url, domain: 'relay.localhost' }, development: { authorities } },
  });
});
afterAll(async () => {
  await pda?.close();
  await relay?.stop();
});

it('a tunnel that cannot be set up on this computer is reported, and set up by a probe once that is possible', async () => {
  await expect
    .poll(() => pda.exposure())
    .toMatchObject({ state: 'unreachable', problem: expect.stringContaining('authorities.pem') });
  writeFileSync(authorities, '');
  const reply = await pda.call('POST', '/api/v2.6/owner/exposure/probe');
  expect(reply.status, reply.text).toBe(200);
  await expect.poll(async () => (await pda.exposure()).state).toBe('reachable');
});
