import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { NODE, ROOT } from './support/paths.ts';
import { CALLBACK, CANARIES, LINKS, RELAY_DOMAIN, UNENCRYPTED_CANARY, type CaptureReport } from './support/outside.ts';
import { findEncodings, streamsOf } from './support/packets.ts';
import { newRelayFolder, removeRelayFolders } from './support/relay.ts';
import { OWNER } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Uses a PDA from another network and searches all packets captured at the relay for the owner's data. The test is
// skipped on machines that do not meet its requirements, such as network namespaces.

afterAll(removeRelayFolders);

/**
 * Options of `unshare` that start a program as root of a separate network namespace, which unprivileged users may
 * create on many systems. All processes in the namespace end when `unshare` is killed.
 */
const UNSHARE = ['-Urn', '--pid', '--fork', '--kill-child'];
/** The test starts several processes in sequence. Each takes up to half a minute to start on a busy machine. */
const TEST_TIMEOUT_MS = 240_000;

/** Returns the reason why this system cannot run the test; undefined if it can. */
const findSkipReason = (): string | undefined => {
  const requirements: [command: string, args: string[], skipReason: string][] = [
    ['unshare', [...UNSHARE, 'true'], 'this system does not permit network namespaces (unshare)'],
    ['ip', ['-V'], 'the command ip (package iproute2) is not installed'],
    [
      'unshare',
      [...UNSHARE, 'ip', 'link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other'],
      'this system does not support virtual network links (veth)',
    ],
    ['perl', ['-MSocket', '-e', '1'], 'Perl is not installed'],
    [
      'unshare',
      [...UNSHARE, 'perl', '-e', 'socket(my $s, 17, 3, 0x0300) or die'],
      'this system does not permit packet capture',
    ],
  ];
  return requirements.find(([command, args]) => spawnSync(command, args, { stdio: 'ignore' }).status !== 0)?.[2];
};

it.skipIf(!IS_THOROUGH_RUN)(
  'packets at the relay reveal no content when a client uses a PDA from another network',
  async (context) => {
    const reason = findSkipReason();
    if (reason !== undefined) context.skip(`skipped: ${reason}`);
    const folder = newRelayFolder();
    const child = spawn('unshare', [...UNSHARE, NODE, 'tests/support/outside-relay.ts', folder], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(TEST_TIMEOUT_MS),
      killSignal: 'SIGKILL',
    });
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('error', resolve).once('exit', resolve)),
    ]);
    expect(errors).toBe('');
    const { port, lostPackets, client } = JSON.parse(output) as CaptureReport;

    // The client used the public name throughout.
    const host = `${OWNER.name}.${RELAY_DOMAIN}:${port}`;
    expect(client).toMatchObject({
      issuers: [host, host],
      tokenRecipient: CALLBACK,
      contentOrigins: [`https://${host}`, `https://${host}`],
      isSameContent: true,
      records: expect.stringContaining(CANARIES.record),
      values: expect.stringContaining(CANARIES.record),
    });

    // All traffic passed through the relay, on both links, and the capture is complete.
    const capture = readFileSync(join(folder, 'capture'));
    const streams = streamsOf(capture);
    expect(lostPackets).toBe(0);
    expect(streams.filter(({ isComplete }) => !isComplete)).toStrictEqual([]);
    for (const link of Object.values(LINKS)) {
      const linkStreams = streams.filter(({ from, to }) =>
        [from, to].some((address) => address.startsWith(`${link.address}:`)),
      );
      expect(Buffer.concat(linkStreams.map(({ bytes }) => bytes)).length).toBeGreaterThan(2 * client.contentBytes);
      expect(
        findEncodings(
          linkStreams.map(({ bytes }) => bytes),
          `${OWNER.name}.${RELAY_DOMAIN}`,
        ),
      ).toContain('plain');
    }

    // The search finds the unencrypted canary in every encoding, and no secret in any.
    const searchedBytes = [capture, ...streams.map(({ bytes }) => bytes)];
    expect(findEncodings(searchedBytes, UNENCRYPTED_CANARY)).toStrictEqual(['plain', 'base64', 'hex']);
    const secrets = Object.entries({ ...CANARIES, password: OWNER.password });
    for (const token of client.tokens) secrets.push(['token', token]);
    const leaks = secrets.flatMap(([label, word]) =>
      findEncodings(searchedBytes, word).map((encoding) => `${label}: ${encoding}`),
    );
    expect(leaks).toStrictEqual([]);
  },
  TEST_TIMEOUT_MS + 5000,
);
