import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { accessLog } from './access-log.ts';
import { charts } from './charts.ts';
import { contractedRead } from './contracted-read.ts';
import { debitValues } from './debit-values.ts';
import { deepPage } from './deep-page.ts';
import { filesFolder } from './files-folder.ts';
import { filesSearch } from './files-search.ts';
import { filesTransfer } from './files-transfer.ts';
import { filterBetween } from './filter-between.ts';
import { functions } from './functions.ts';
import { getLatest } from './get-latest.ts';
import { memory } from './memory.ts';
import { networkKeyring } from './network-keyring.ts';
import { networkClaims } from './network-claims.ts';
import { networkStatistics } from './network-statistics.ts';
import { postBatch } from './post-batch.ts';
import { postSingle } from './post-single.ts';
import { readsUnderLoad } from './reads-under-load.ts';
import { recordSearch } from './record-search.ts';
import { recordTable } from './record-table.ts';
import { relayMemory } from './relay-memory.ts';
import { startUp } from './start-up.ts';
import { timeline } from './timeline.ts';
import { tunnel } from './tunnel.ts';
import { createContext, type Benchmark, type Figure } from './support/context.ts';
import { formatFigure, isReached, renderResults } from './support/results.ts';

// npm run bench -- [--quick] [--only NAME]… [--profile FOLDER] [--strict]
//
// Runs all benchmarks, most of them on one filled home and its server. Comparisons of reads run before the benchmarks
// that store records, and memory is measured last. A complete run writes RESULTS.md.

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  'start-up': startUp,
  'get-latest': getLatest,
  'deep-page': deepPage,
  'filter-between': filterBetween,
  'debit-values': debitValues,
  'contracted-read': contractedRead,
  'post-single': postSingle,
  'post-batch': postBatch,
  'reads-under-load': readsUnderLoad,
  'access-log': accessLog,
  charts,
  timeline,
  'record-search': recordSearch,
  'record-table': recordTable,
  'files-folder': filesFolder,
  'files-search': filesSearch,
  'files-transfer': filesTransfer,
  functions,
  'network-keyring': networkKeyring,
  'network-claims': networkClaims,
  'network-statistics': networkStatistics,
  tunnel,
  'relay-memory': relayMemory,
  memory,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
    strict: { type: 'boolean', default: false },
  },
});

const unknownNames = values.only.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknownNames.length > 0) {
  process.stderr.write(`Unknown: ${unknownNames.join(', ')}. Benchmarks: ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exit(2);
}

const context = createContext({ quick: values.quick, profile: values.profile });
const figures: Figure[] = [];
const interrupt = (): void => {
  void context.close().finally(() => process.exit(1));
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
try {
  for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
    if (values.only.length > 0 && !values.only.includes(name)) continue;
    for (const figure of await benchmark(context)) {
      figures.push(figure);
      process.stdout.write(`${formatFigure(figure)}\n`);
    }
    await context.stopBaselines();
  }
  if (values.only.length === 0) {
    const page = renderResults(figures, { quick: values.quick, date: new Date(), records: context.records });
    writeFileSync(new URL('./RESULTS.md', import.meta.url), page);
  }
} finally {
  await context.close();
}
if (values.strict && !figures.every(isReached)) process.exitCode = 1;
