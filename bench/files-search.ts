import { join } from 'node:path';
import type { Benchmark, Figure } from './support/context.ts';
import { FILE_SOURCES, FILE_TAGS, USER, WORDS } from './support/file-rows.ts';
import { call, serveHome, signIn, type Pda } from './support/pda.ts';
import { runToCompletion } from './support/processes.ts';
import { measureSlowestSearch } from './support/search-figure.ts';
import { formatRounded } from './support/stats.ts';

const FILES = 100_000;

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

const QUERIES = ['completed', 'shared', 'public', 'deleted', 'unfinished'].flatMap((show) =>
  ['name', 'size', 'added', 'changed'].flatMap((sort) => [
    `show=${show}&sort=${sort}`,
    `show=${show}&sort=${sort}&source=camera&order=ascending`,
    `show=${show}&sort=${sort}&search=num`,
    `show=${show}&sort=${sort}&search=word&kind=image`,
    `show=${show}&sort=${sort}&tag=all`,
  ]),
);

export const filesSearch: Benchmark = async (context) => {
  const home = join(context.folder, 'files-home');
  runToCompletion('bench/support/fill-files.ts', [home, String(FILES)]);
  const owner = await serveHome(home);
  try {
    const user = { ...owner, headers: await signIn(owner.url, USER.name, USER.password) };
    const measure = (
      label: string,
      searches: readonly string[],
      runSearch: (search: string) => Promise<string>,
    ): Promise<Figure> =>
      measureSlowestSearch(`${label}, ${formatRounded(FILES)} file records, slowest search`, searches, runSearch);
    const templates = TEMPLATES.map((template) => JSON.stringify(template));
    const searchAs = (caller: Pda) => (template: string) =>
      call(caller, 'POST', 'files/search?take=100', JSON.parse(template));
    return [
      await measure('First 100 by template, as the owner', templates, searchAs(owner)),
      await measure('First 100 by template, as a user', templates, searchAs(user)),
      await measure('First page of the dashboard', QUERIES, (query) =>
        call(owner, 'GET', `owner/files?${query}&take=100`),
      ),
      await measure('Summary', ['summary'], () => call(owner, 'GET', 'owner/files/summary')),
    ];
  } finally {
    await owner.stop();
  }
};
