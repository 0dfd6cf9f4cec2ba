import type { Principal } from '../../../platform/auth/principal.ts';
import { isoTime } from '../../../platform/clock.ts';
import { addDays, createLocalDateFormat, startOfLocalDate } from '../../../platform/local-date.ts';
import type { OwnerFile } from '../../../wire/files.ts';
import type { RunOutcome } from '../../../wire/functions.ts';
import type { ImportJob } from '../../../wire/imports.ts';
import type { LedgerRow } from '../../../wire/ledger.ts';
import type { TimelineItem, TimelineItems, TimelineKind } from '../../../wire/timeline.ts';
import type { Topic } from '../../core/events/service.ts';
import type { ImportService } from '../../data/imports/service.ts';
import type { AccessLogService } from '../../sharing/access-log/service.ts';

/* Sources of the timeline other than endpoints. */

export type DayItems = { day: string; items: number };
export type ItemPage = { skip: number; take: number };
/** Principal and host for which picture URLs are signed. */
export type Viewer = { principal: Principal; host: string };

export type ActivitySource = {
  kind: TimelineKind;
  /** Topic whose events cause a new count; undefined if items are counted for each request. */
  topic?: Topic;
  countByDay: () => Promise<readonly DayItems[]>;
  listOnDay: (day: string, page: ItemPage, viewer: Viewer) => Promise<TimelineItems>;
};

type SourceParts = {
  pictureDays: {
    countByDay: () => Promise<DayItems[]>;
    listOnDay: (day: string, page: ItemPage, viewer: Viewer) => OwnerFile[];
  };
  imports: Pick<ImportService, 'list'>;
  countDecisionsByDay: () => Promise<DayItems[]>;
  ledger: Pick<AccessLogService, 'list'>;
  runDays: {
    countByDay: () => Promise<DayItems[]>;
    listOnDay: (
      day: string,
      page: ItemPage,
    ) => Promise<{ id: string; function: string; finished: number; outcome: RunOutcome | null; records: number }[]>;
  };
};

const LEDGER_PAGE_ROWS = 100;

const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the first and the last millisecond of a day in this computer's time zone. */
const boundsOfDay = (day: string): { from: number; to: number } => ({
  from: startOfLocalDate(day, timeZone()),
  to: startOfLocalDate(addDays(day, 1), timeZone()) - 1,
});

/** @param items up to `take + 1` items */
const pageOf = <T>(items: readonly T[], take: number, toItem: (item: T) => TimelineItem): TimelineItems => ({
  items: items.slice(0, take).map(toItem),
  more: items.length > take,
});

/** Returns the newest first. `finished` is in Unix milliseconds. */
const listFinishedImports = (imports: Pick<ImportService, 'list'>): { job: ImportJob; finished: number }[] =>
  imports
    .list()
    .flatMap((job) => (job.finished === null ? [] : [{ job, finished: Date.parse(job.finished) }]))
    .toSorted((a, b) => b.finished - a.finished);

const createImportSource = (imports: Pick<ImportService, 'list'>): ActivitySource => ({
  kind: 'imports',
  async countByDay() {
    const dayOf = createLocalDateFormat(timeZone());
    const days = Map.groupBy(listFinishedImports(imports), ({ finished }) => dayOf(finished));
    return Array.from(days, ([day, jobs]) => ({ day, items: jobs.length }));
  },
  async listOnDay(day, { skip, take }) {
    const dayOf = createLocalDateFormat(timeZone());
    const jobs = listFinishedImports(imports).filter(({ finished }) => dayOf(finished) === day);
    return pageOf(jobs.slice(skip, skip + take + 1), take, ({ job }) => ({ kind: 'import', job }));
  },
});

const createDecisionSource = ({
  ledger,
  countDecisionsByDay,
}: Pick<SourceParts, 'ledger' | 'countDecisionsByDay'>): ActivitySource => ({
  kind: 'decisions',
  countByDay: countDecisionsByDay,
  async listOnDay(day, { skip, take }) {
    const rows: LedgerRow[] = [];
    let before: number | undefined;
    do {
      const page = await ledger.list({
        ...boundsOfDay(day),
        who: 'owner',
        act: 'decision',
        outcome: 'allowed',
        before,
        take: LEDGER_PAGE_ROWS,
      });
      rows.push(...page.rows);
      before = page.next ?? undefined;
    } while (before !== undefined && rows.length <= skip + take);
    return pageOf(rows.slice(skip, skip + take + 1), take, (row) => ({ kind: 'decision', row }));
  },
});

export const createActivitySources = (parts: SourceParts): ActivitySource[] => {
  const { pictureDays, runDays } = parts;
  return [
    {
      kind: 'pictures',
      topic: 'files',
      countByDay: pictureDays.countByDay,
      async listOnDay(day, { skip, take }, viewer) {
        const files = pictureDays.listOnDay(day, { skip, take: take + 1 }, viewer);
        return pageOf(files, take, (file) => ({ kind: 'picture', file }));
      },
    },
    {
      kind: 'runs',
      topic: 'functions',
      countByDay: runDays.countByDay,
      async listOnDay(day, { skip, take }) {
        const runs = await runDays.listOnDay(day, { skip, take: take + 1 });
        return pageOf(runs, take, ({ id, finished, ...run }) => ({
          kind: 'run',
          runId: id,
          finished: isoTime(finished),
          ...run,
        }));
      },
    },
    createImportSource(parts.imports),
    createDecisionSource(parts),
  ];
};
