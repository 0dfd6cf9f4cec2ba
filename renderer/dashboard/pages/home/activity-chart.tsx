import type { ActivityDay } from '../../../shared/api/contract.ts';
import { DaysSection, type Series } from '../../../shared/components/days-section.tsx';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.home.activity;

const addedSeries: Series<ActivityDay> = { label: texts.added, tone: 'in', value: ({ created }) => created };
const changedSeries: Series<ActivityDay> = { label: texts.changed, tone: 'changed', value: ({ updated }) => updated };
const deletedSeries: Series<ActivityDay> = { label: texts.deleted, tone: 'out', value: (day) => day.deleted };

export function ActivityChart({ days }: { days: readonly ActivityDay[] }) {
  const sum = ({ value }: Series<ActivityDay>) => days.reduce((total, day) => total + value(day), 0);
  const sums = [sum(addedSeries), sum(changedSeries), sum(deletedSeries)] as const;
  return (
    <DaysSection
      title={texts.title}
      parameter="activity"
      days={days}
      hasData={sums.some((n) => n > 0)}
      summary={texts.summary(...sums)}
      emptyText={texts.none}
      chart={{
        above: [addedSeries, changedSeries],
        below: { ...deletedSeries, usesSameScale: true },
        formatMaximum: texts.busiest,
        tooltip: (day) => texts.tip(addedSeries.value(day), changedSeries.value(day), deletedSeries.value(day)),
        hint: texts.hint,
      }}
      columns={[addedSeries, changedSeries, deletedSeries]}
    />
  );
}
