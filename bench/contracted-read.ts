import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startContractsService } from '../tests/support/contracts-service.ts';
import { systemClock } from '../server/platform/clock.ts';
import { NAME, PASSWORD, signIn, type Benchmark } from './support/context.ts';
import { compareSides, ratioFigure, type Load } from './support/load.ts';
import { runToCompletion, startProcess } from './support/processes.ts';

/** Same number as in post-single.ts, because access log entries are as durable as records and share disk syncs. */
const CONNECTIONS = 50;
const CONTRACT = 'bench-contract';
const APPLICATION = 'bench-reader';
const ENDPOINT = 'bench/reads';
const RECORDS = 10_000;
const PAGE_SIZE = 100;
const SITE = 'https://bench.example.com/';

const application = (id: string, kind: 'App' | 'Contract') => ({
  id,
  kind: { kind, url: SITE },
  info: {
    version: '1.0.0',
    published: true,
    name: id,
    headline: '',
    description: { text: '' },
    graphics: { logo: { normal: '' } },
  },
  permissions: { rolesGranted: [{ role: 'namespaceread', detail: 'bench' }] },
  setup: { kind: 'External', url: SITE },
  status: { kind: 'Internal', compatibility: '1.0.0' },
});

const fetchText = async ({ url, method = 'GET', headers = {}, bodies }: Load): Promise<string> => {
  const body = bodies?.[0];
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  if (!response.ok) throw new Error(`request to ${url} failed: ${response.status} ${await response.text()}`);
  return response.text();
};

/** Compares a read of the newest 100 records by a contract with the same read by an application. Both are logged. */
export const contractedRead: Benchmark = async (context) => {
  const home = join(context.folder, 'contract-home');
  runToCompletion('bench/support/prepare-debit-home.ts', [
    home,
    NAME,
    PASSWORD,
    APPLICATION,
    String(RECORDS),
    ENDPOINT,
  ]);
  const service = await startContractsService(systemClock);
  const config = {
    applications: [application(APPLICATION, 'App'), application(CONTRACT, 'Contract')],
    contracts: { url: service.url },
    development: { allowLoopback: true },
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const pda = await startProcess('server/pda/cli/main.ts', ['serve', '--home', home]);
  try {
    const api = `${pda.url}/api/v2.6`;
    const owner = { 'x-auth-token': await signIn(pda.url) };
    for (const id of [APPLICATION, CONTRACT])
      await fetchText({ url: `${api}/applications/${id}/setup`, headers: owner, connections: 1 });
    const tokenText = await fetchText({
      url: `${api}/applications/${APPLICATION}/access-token`,
      headers: owner,
      connections: 1,
    });
    const { accessToken } = JSON.parse(tokenText) as { accessToken: string };
    const token = await service.token({
      sub: CONTRACT,
      namespaces: [{ namespace: 'bench', read: true, write: false }],
    });
    const credentials = { token, contractId: CONTRACT, pdaName: NAME };
    const contractedLoad: Load = {
      url: `${api}/contract-data/read/${ENDPOINT}`,
      connections: CONNECTIONS,
      method: 'POST',
      bodies: [JSON.stringify({ ...credentials, ordering: 'descending', take: PAGE_SIZE })],
    };
    const directLoad: Load = {
      url: `${api}/data/${ENDPOINT}?ordering=descending&take=${PAGE_SIZE}`,
      connections: CONNECTIONS,
      headers: { 'x-auth-token': accessToken },
    };
    if ((await fetchText(contractedLoad)) !== (await fetchText(directLoad)))
      throw new Error('the two calls return different responses');
    const comparison = await compareSides(
      context,
      { server: pda, load: contractedLoad },
      { server: pda, load: directLoad },
    );
    const label = `Contracted read of ${PAGE_SIZE} records, compared with the direct read by an application`;
    return [ratioFigure(label, 0.8, comparison)];
  } finally {
    await pda.stop();
    await service.close();
  }
};
