import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, type Attack } from './support/attacks.ts';
import { stopLoad, startLoad, type Load, type Measurement } from './support/load.ts';
import { killProcesses, pause, removeFolders } from './support/server-process.ts';

/**
 * An owner works with a PDA from one network while attackers flood it from another. Compares the slowest of a hundred requests
 * with and without the attack, in one run. Other load on the machine only adds, so the best of a few rounds counts.
 * `PDA_ATTACK_MS` sets the duration of a round; with it each attack is measured alone, at its full rate.
 */

const LONG_MS = Number(process.env['PDA_ATTACK_MS'] ?? 0);
const CALM_MS = LONG_MS === 0 ? 300 : LONG_MS / 2;
const ATTACK_MS = LONG_MS === 0 ? 500 : LONG_MS;
/** Milliseconds until an attack has ramped up. */
const RAMP_UP_MS = LONG_MS === 0 ? 250 : 2000;
const ROUNDS = 8;
/** Maximum factor by which an attack may slow down the slowest of a hundred requests. */
const SLOWDOWN_MAX = 2;
/** Maximum memory of the server during all attacks, in bytes. */
const MEMORY_BYTES = 500_000_000;

const GROUPS: readonly { name: string; kinds: readonly Attack[]; strength: number }[] =
  LONG_MS > 0
    ? ATTACKS.map((kind) => ({ name: kind, kinds: [kind], strength: 1 }))
    : [
        { name: 'the slow ones', kinds: ['slow headers', 'slow bodies', 'slow readers'], strength: 0.5 },
        { name: 'the many', kinds: ['many connections', 'many requests', 'huge headers', 'passwords'], strength: 0.3 },
        {
          name: 'the large ones',
          kinds: [
            'big bodies',
            'big bodies without a token',
            'deep bodies',
            'many parameters',
            'slow regular expressions',
          ],
          strength: 0.3,
        },
      ];

let load: Load;
beforeAll(async () => {
  load = await startLoad();
  // The first requests are slower.
  await load.measure(200);
});
afterAll(async () => {
  await load?.close();
  await stopLoad();
  await killProcesses();
  removeFolders();
});

describe('an owner who works with a PDA', () => {
  it.each(GROUPS)(
    'gets responses as fast during an attack of $name, and is never refused',
    async ({ name, kinds, strength }) => {
      const attack = load.prepare(kinds, strength);
      const rounds: { calm: Measurement; hit: Measurement }[] = [];
      try {
        while (rounds.length < ROUNDS) {
          attack.switch(false);
          const calm = await load.measure(CALM_MS);
          attack.switch(true);
          await pause(RAMP_UP_MS);
          const hit = await load.measure(ATTACK_MS);
          rounds.push({ calm, hit });
          if (hit.p99 <= SLOWDOWN_MAX * calm.p99) break;
        }
      } finally {
        await attack.end();
      }
      for (const { calm, hit } of rounds) {
        expect([calm.failures, hit.failures]).toStrictEqual([[], []]);
        expect(hit.requests).toBeGreaterThan(0);
      }
      const ratios = rounds.map(({ calm, hit }) => hit.p99 / calm.p99);
      if (LONG_MS > 0) console.log(`${name}: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} times as long`);
      expect(Math.min(...ratios)).toBeLessThanOrEqual(SLOWDOWN_MAX);
      expect(load.residentBytes()).toBeLessThan(MEMORY_BYTES);
    },
  );

  it('finds the server unchanged after the attacks', async () => {
    const { failures, requests: calls } = await load.measure(300);
    expect(failures).toStrictEqual([]);
    expect(calls).toBeGreaterThan(0);
    expect(load.server.stderr()).toBe('');
  });
});
