import type { ActivityDay } from '../../../shared/api/contract.ts';
import { DaysSection, type Series } from '../../../shared/components/days-section.tsx';
import { m } from '../../../shared/messages/texts.ts';

const words = m.home.activity;

const added: Series<ActivityDay> = { label: words.added, tone: 'in', of: ({ created }) => created };
const changed: Series<ActivityDay> = { label: words.changed, tone: 'changed', of: ({ updated }) => updated };
const deleted: Series<ActivityDay> = { label: words.deleted, tone: 'out', of: (day) => day.deleted };

/** Chart of records added, changed and deleted per day. */
export function IncomingChart({ days }: { days: readonly ActivityDay[] }) {
  const sum = ({ of }: Series<ActivityDay>) => days.reduce((all, day) => all + of(day), 0);
  const sums = [sum(added), sum(changed), sum(deleted)] as const;
  return (
    <DaysSection
      title={words.title}
      parameter="activity"
      days={days}
      hasData={sums.some((n) => n > 0)}
      summary={words.summary(...sums)}
      none={words.none}
      chart={{
        above: [added, changed],
        below: { ...deleted, sameScale: true },
        most: words.busiest,
        tip: (day) => words.tip(added.of(day), changed.of(day), deleted.of(day)),
        hint: words.hint,
      }}
      columns={[added, changed, deleted]}
    />
  );
}
