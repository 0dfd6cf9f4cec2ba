import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aProposal } from '../server/pda/sharing/debits/harness.test-support.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { ENCRYPTION_HEADERS, randomContent } from './support/files.ts';
import type { Call, Reply } from './support/http.ts';
import { newRelayFolder, removeRelayFolders } from './support/relay.ts';
import { endProcesses, startRelayProcess } from './support/relay-process.ts';
import { OWNER } from './support/test-pda.ts';
import { callWithHost, startTunnelPda, type TunnelPda } from './support/tunnel.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests that a PDA is usable through a relay in a separate process, and that it handles failures of the relay.

type RelayProcess = Awaited<ReturnType<typeof startRelayProcess>>;
const CALLBACK = 'https://walks.example.com/callback';

let relay: RelayProcess;
let home: string;
let pda: TunnelPda;
let port: number;
const agent = new Agent({ keepAlive: true });

const startRelay = (relayPort: number) =>
  startRelayProcess('--port', String(relayPort), '--domain', 'localhost', '--home', home);
const publicHost = () => `${OWNER.name}.localhost:${port}`;
const callFromOutside = (method: string, path: string, call: Call = {}): Promise<Reply> =>
  callWithHost(port, publicHost(), method, path, { ...call, agent });
const expectSuccess = (reply: Reply): Reply => {
  expect([reply.status, reply.status < 300 ? '' : reply.text]).toStrictEqual([reply.status, '']);
  return reply;
};
const waitUntilReachable = () =>
  expect.poll(() => pda.exposure(), { interval: 50 }).toMatchObject({ state: 'reachable', problem: null });
const issuerOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).iss;

beforeAll(async () => {
  home = newRelayFolder();
  relay = await startRelay(0);
  port = relay.port;
  pda = await startTunnelPda({
    config: {
      tunnel: { relay: `http://localhost:${port}`, domain: 'localhost' },
      applications: [
        anApplication({ id: 'walks', roles: [{ role: 'datadebit', detail: 'walks-debit' }], setup: { url: CALLBACK } }),
      ],
    },
  });
});
afterAll(async () => {
  agent.destroy();
  await pda?.close();
  endProcesses();
  removeRelayFolders();
});

const signIn = async (): Promise<string> => {
  const headers = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };
  const { accessToken } = expectSuccess(await callFromOutside('GET', '/users/access_token', { headers })).json as {
    accessToken: string;
  };
  return accessToken;
};

it('the owner signs in to an application through the tunnel', async () => {
  await waitUntilReachable();
  const token = await signIn();
  expect(issuerOf(token)).toBe(publicHost());
  const query = new URLSearchParams({ name: 'walks', redirect: CALLBACK });
  const loginRequest = expectSuccess(
    await callFromOutside('GET', `/api/v2.6/owner/login-request?${query.toString()}`, { token }),
  );
  expect(loginRequest.json).toMatchObject({ state: 'consent', redirect: CALLBACK });
  expectSuccess(await callFromOutside('GET', '/api/v2.6/applications/walks/setup', { token }));
  const loginResponse = expectSuccess(
    await callFromOutside('POST', '/api/v2.6/owner/login', { token, json: { name: 'walks', redirect: CALLBACK } }),
  ).json as { url: string };
  const url = new URL(loginResponse.url);
  expect(`${url.origin}${url.pathname}`).toBe(CALLBACK);
  expect(issuerOf(url.searchParams.get('token') ?? '')).toBe(publicHost());
});

it('a file is uploaded and downloaded unchanged through public URLs', async () => {
  const token = await signIn();
  const content = Buffer.from(randomContent(3_000_000));
  const forgedHeaders = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  };
  const createdFile = expectSuccess(
    await callFromOutside('POST', '/api/v2.6/files/upload', {
      token,
      json: { name: 'a.bin', source: 'test' },
      headers: forgedHeaders,
    }),
  ).json as { fileId: string; contentUrl: string };
  const contentUrl = new URL(createdFile.contentUrl);
  expect(contentUrl.origin).toBe(`http://${publicHost()}`);
  const pathOf = (url: URL): string => `${url.pathname}${url.search}`;
  expectSuccess(
    await callFromOutside('PUT', pathOf(contentUrl), {
      body: content,
      headers: { ...ENCRYPTION_HEADERS, 'content-type': 'text/plain' },
    }),
  );
  expectSuccess(await callFromOutside('PUT', `/api/v2.6/files/file/${createdFile.fileId}/complete`, { token }));
  const readReply = expectSuccess(
    await callFromOutside('GET', `/api/v2.6/files/file/${createdFile.fileId}`, { token, headers: forgedHeaders }),
  );
  expect(readReply.text).not.toContain('evil.example');
  const downloadUrl = new URL((readReply.json as { contentUrl: string }).contentUrl);
  expect(downloadUrl.origin).toBe(`http://${publicHost()}`);
  expect(expectSuccess(await callFromOutside('GET', pathOf(downloadUrl))).body.equals(content)).toBe(true);
});

it('a remote client proposes and reads a Data Debit', async () => {
  const token = await setUpApplication(pda, 'walks');
  expectSuccess(
    await callFromOutside('POST', '/api/v2.6/data/calendar/events', { token: pda.token, json: { name: 'lunch' } }),
  );
  const start = new Date().toISOString();
  expectSuccess(
    await callFromOutside('POST', '/api/v2.6/data-debit/walks-debit', {
      token,
      json: aProposal('walks-debit', { start }),
    }),
  );
  expectSuccess(await pda.call('GET', '/api/v2.6/data-debit/walks-debit/enable'));
  const values = expectSuccess(await callFromOutside('GET', '/api/v2.6/data-debit/walks-debit/values', { token }));
  expect(values.text).toContain('lunch');
  expect(await pda.exposure()).toMatchObject({ open: { debits: 1, applications: 1 } });
});

it('the tunnel reconnects after the relay is killed', async () => {
  relay.kill('SIGKILL');
  await relay.exitStatus;
  await expect.poll(async () => (await pda.exposure()).state).toBe('connecting');
  expect((await pda.call('GET', '/api/v2.6/owner')).status).toBe(200);
  relay = await startRelay(port);
  await waitUntilReachable();
  expect((await callFromOutside('GET', '/healthz')).status).toBe(200);
});

it.skipIf(!IS_THOROUGH_RUN)('an unresponsive relay does not affect local use, and a probe reports it', async () => {
  relay.kill('SIGSTOP');
  const probe = pda.call('POST', '/api/v2.6/owner/exposure/probe');
  const localStatus = pda.call('GET', '/api/v2.6/owner').then(({ status }) => status);
  expect(await Promise.race([localStatus, probe])).toBe(200);
  expect((await probe).json).toMatchObject({ state: 'unreachable', probe: { reached: false } });
  relay.kill('SIGCONT');
  await expect
    .poll(async () => (await pda.call('POST', '/api/v2.6/owner/exposure/probe')).json)
    .toMatchObject({ state: 'reachable' });
});
