import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { CALLBACK, CANARIES, LINKS, RELAY_DOMAIN, UNENCRYPTED_CANARY, type Report } from './support/outside.ts';
import { encodingsContaining, streamsOf } from './support/packets.ts';
import { newRelayFolder, removeRelayFolders } from './support/relay.ts';
import { OWNER } from './support/test-pda.ts';

/**
 * Accesses a PDA from another network and inspects every packet at the relay. On machines without network namespaces, only
 * tests/tunnel-tls.test.ts ("a PDA cannot be read") checks what a relay can read.
 */

afterAll(removeRelayFolders);

const ROOT = join(import.meta.dirname, '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
/**
 * Runs as root in a separate network namespace, which unprivileged users may create on many systems. Its processes end with the
 * process that is started here.
 */
const UNSHARE = ['-Urn', '--pid', '--fork', '--kill-child'];
const MOST_MS = 45_000;

/** Returns why this system cannot run the test; undefined if it can. */
const whyNot = (): string | undefined => {
  const tries: [command: string, args: string[], words: string][] = [
    ['unshare', [...UNSHARE, 'true'], 'this system does not permit network namespaces (unshare)'],
    ['ip', ['-V'], 'there is no command to lay lines between networks (ip, of the package iproute2)'],
    [
      'unshare',
      [...UNSHARE, 'ip', 'link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other'],
      'this system has no lines between networks (veth)',
    ],
    ['perl', ['-MSocket', '-e', '1'], 'there is no Perl to keep the packets'],
    [
      'unshare',
      [...UNSHARE, 'perl', '-e', 'socket(my $s, 17, 3, 0x0300) or die'],
      'this system does not permit packet capture',
    ],
  ];
  return tries.find(([command, args]) => spawnSync(command, args, { stdio: 'ignore' }).status !== 0)?.[2];
};

it(
  'packets at the relay reveal no content of a complete visit from another network',
  async (context) => {
    const reason = whyNot();
    if (reason !== undefined) context.skip(`not tried: ${reason}`);
    const folder = newRelayFolder();
    const child = spawn('unshare', [...UNSHARE, NODE, 'tests/support/outside-relay.ts', folder], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(MOST_MS),
      killSignal: 'SIGKILL',
    });
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('error', resolve).once('exit', resolve)),
    ]);
    expect(errors).toBe('');
    const { port, lostPackets: lost, journey } = JSON.parse(output) as Report;

    // The client used the public name for the complete visit.
    const host = `${OWNER.name}.${RELAY_DOMAIN}:${port}`;
    expect(journey).toMatchObject({
      issuers: [host, host],
      sentTo: CALLBACK,
      contentAt: [`https://${host}`, `https://${host}`],
      isSameContent: true,
      records: expect.stringContaining(CANARIES.record),
      values: expect.stringContaining(CANARIES.record),
    });

    // All traffic passed the relay, on both connections, and the capture is complete.
    const capture = readFileSync(join(folder, 'capture'));
    const streams = streamsOf(capture);
    expect(lost).toBe(0);
    expect(streams.filter(({ isComplete }) => !isComplete)).toStrictEqual([]);
    for (const line of Object.values(LINKS)) {
      const passed = streams.filter(({ from, to }) => [from, to].some((end) => end.startsWith(`${line.address}:`)));
      expect(Buffer.concat(passed.map(({ bytes }) => bytes)).length).toBeGreaterThan(2 * journey.contentBytes);
      expect(
        encodingsContaining(
          passed.map(({ bytes }) => bytes),
          `${OWNER.name}.${RELAY_DOMAIN}`,
        ),
      ).toContain('plain');
    }

    // The search finds its reference texts in every encoding, and nothing of the owner's data.
    const searched = [capture, ...streams.map(({ bytes }) => bytes)];
    expect(encodingsContaining(searched, UNENCRYPTED_CANARY)).toStrictEqual(['plain', 'base64', 'hex']);
    const secrets = Object.entries({ ...CANARIES, password: OWNER.password });
    for (const token of journey.tokens) secrets.push(['token', token]);
    const leaks = secrets.flatMap(([label, word]) =>
      encodingsContaining(searched, word).map((how) => `${label}: ${how}`),
    );
    expect(leaks).toStrictEqual([]);
  },
  MOST_MS + 5000,
);
