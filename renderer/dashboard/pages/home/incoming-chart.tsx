import type { ActivityDay } from '../../../shared/api/contract.ts';
import { DaysSection, type Series } from '../../../shared/components/days-section.tsx';
import { m } from '../../../shared/messages/texts.ts';

const words = m.home.activity;

const added: Series<ActivityDay> = { label: words.added, tone: 'in', value: ({ created }) => created };
const changed: Series<ActivityDay> = { label: words.changed, tone: 'changed', value: ({ updated }) => updated };
const deleted: Series<ActivityDay> = { label: words.deleted, tone: 'out', value: (day) => day.deleted };

/** Chart of records added, changed and deleted per day. */
export function IncomingChart({ days }: { days: readonly ActivityDay[] }) {
  const sum = ({ value }: Series<ActivityDay>) => days.reduce((all, day) => all + value(day), 0);
  const sums = [sum(added), sum(changed), sum(deleted)] as const;
  return (
    <DaysSection
      title={words.title}
      parameter="activity"
      days={days}
      hasData={sums.some((n) => n > 0)}
      summary={words.summary(...sums)}
      emptyText={words.none}
      chart={{
        above: [added, changed],
        below: { ...deleted, sameScale: true },
        formatMaximum: words.busiest,
        tooltip: (day) => words.tip(added.value(day), changed.value(day), deleted.value(day)),
        hint: words.hint,
      }}
      columns={[added, changed, deleted]}
    />
  );
}
