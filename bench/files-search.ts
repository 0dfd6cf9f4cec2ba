import { join } from 'node:path';
import { signIn, NAME, PASSWORD, type Benchmark } from './support/context.ts';
import { FILE_SOURCES, FILE_TAGS, USER, WORDS } from './support/file-rows.ts';
import { runToCompletion, startProcess } from './support/processes.ts';
import { median, toFixed2, formatRounded } from './support/stats.ts';

const MAX_SEARCH_MS = 50;
const FILES = 100_000;
const RUNS_PER_SEARCH = 5;

/** Searches by each field with frequent and rare values, and by combined fields. */
const TEMPLATES: readonly object[] = [
  {},
  { fileId: 'file-77777.jpg' },
  { fileId: 'nothing' },
  { name: `${WORDS[1]}-1.jpg` },
  ...FILE_SOURCES.map((source) => ({ source })),
  ...FILE_TAGS.map((tag) => ({ tags: [tag] })),
  { tags: [...FILE_TAGS] },
  { title: WORDS[3] },
  { title: `${WORDS[3]} ${WORDS[22]}` },
  { title: 'nowhere' },
  { description: 'number' },
  { description: 'of number 4711' },
  { status: { status: 'Completed' } },
  { status: { status: 'New', size: 0 } },
  { status: { status: 'Deleted' } },
  { source: FILE_SOURCES[0], tags: ['thousandth'], description: 'number', status: { status: 'Completed' } },
  { source: FILE_SOURCES[2], title: WORDS[1] },
  { description: 'number', tags: ['all'] },
];

const QUERIES = ['here', 'shared', 'public', 'deleted', 'unfinished'].flatMap((show) =>
  ['name', 'size', 'added', 'changed'].flatMap((sort) => [
    `show=${show}&sort=${sort}`,
    `show=${show}&sort=${sort}&source=camera&order=ascending`,
    `show=${show}&sort=${sort}&search=num`,
    `show=${show}&sort=${sort}&search=word&kind=image`,
    `show=${show}&sort=${sort}&tag=all`,
  ]),
);

/** Measures searches among 100,000 file records: by template as the owner and as a user, and the dashboard's pages. */
export const filesSearch: Benchmark = async (context) => {
  const home = join(context.folder, 'files-home');
  runToCompletion('bench/support/fill-files.ts', [home, NAME, PASSWORD, String(FILES)]);
  const pda = await startProcess('server/pda/cli/main.ts', ['serve', '--home', home]);
  try {
    const ownerToken = await signIn(pda.url);
    const tokenResponse = await fetch(`${pda.url}/users/access_token`, {
      headers: { username: USER.name, password: encodeURIComponent(USER.password) },
    });
    const { accessToken: userToken } = (await tokenResponse.json()) as { accessToken: string };

    const measureRequest = async (path: string, token: string, body?: object): Promise<number> => {
      const startedAt = performance.now();
      const response = await fetch(`${pda.url}/api/v2.6${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-auth-token': token, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`search ${path} failed: ${response.status}`);
      return performance.now() - startedAt;
    };
    const measureSlowest = async (label: string, searches: readonly [string, () => Promise<number>][]) => {
      let slowest = { ms: 0, name: '', first: 0 };
      let longest = 0;
      for (const [name, measureOnce] of searches) {
        const durations: number[] = [];
        for (let run = 0; run < RUNS_PER_SEARCH; run += 1) durations.push(await measureOnce());
        const ms = median(durations);
        if (ms > slowest.ms) slowest = { ms, name, first: durations[0] ?? 0 };
        longest = Math.max(longest, ...durations);
      }
      return {
        label: `${label}, ${formatRounded(FILES)} file records, slowest search`,
        value: slowest.ms,
        target: MAX_SEARCH_MS,
        better: 'less',
        unit: 'ms',
        detail: `${searches.length} searches, median of ${RUNS_PER_SEARCH} each; slowest \`${slowest.name}\`, its first run ${toFixed2(slowest.first)} ms; longest run of all searches ${toFixed2(longest)} ms`,
      } as const;
    };
    const byTemplate = (token: string): [string, () => Promise<number>][] =>
      TEMPLATES.map((template) => [
        JSON.stringify(template),
        () => measureRequest('/files/search?take=100', token, template),
      ]);
    return [
      await measureSlowest('First 100 by template, as the owner', byTemplate(ownerToken)),
      await measureSlowest('First 100 by template, as a user', byTemplate(userToken)),
      await measureSlowest(
        'First page of the dashboard',
        QUERIES.map((query) => [query, () => measureRequest(`/owner/files?${query}&take=100`, ownerToken)]),
      ),
      await measureSlowest('Summary', [['summary', () => measureRequest('/owner/files/summary', ownerToken)]]),
    ];
  } finally {
    await pda.stop();
  }
};
