import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconArrowLeft, IconArrowRight, IconDots, IconPinnedOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, lazy, useEffect, useRef, useState } from 'react';
import { isolateText } from '../../../../server/wire/isolation.ts';
import type { EndpointSummary } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { type PinnedChart, pinnedCharts, useSavePinnedCharts } from '../../api/pinned-charts.ts';
import { offerUndo } from '../../components/deletion.tsx';
import { Section } from '../../components/page.tsx';
import { EndpointIcon } from '../data/endpoints/endpoint-icon.tsx';
import classes from './pinned-charts.module.css';

const texts = m.charts.pins;
const ICON_PROPS = { size: 16, stroke: 1.6 };
const LOAD_MARGIN_PX = 300;

/** The chart library is larger than the rest of the page, so it is loaded separately. */
const PinnedChartFigure = lazy(async () => ({
  default: (await import('../data/charts/pinned-chart.tsx')).PinnedChartFigure,
}));

export function PinnedCharts({ summaries }: { summaries: readonly EndpointSummary[] }) {
  const query = useQuery(pinnedCharts);
  const { mutate: save } = useSavePinnedCharts();
  const [announcement, setAnnouncement] = useState('');
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  /** Menu to focus after the list has changed, because a moved or removed element loses the focus. */
  const nextFocus = useRef<{ id: string | undefined; previousCharts: PinnedChart[] }>(undefined);
  const charts = query.data;
  useEffect(() => {
    const next = nextFocus.current;
    if (next === undefined || next.previousCharts === charts) return;
    nextFocus.current = undefined;
    if (next.id !== undefined) buttons.current.get(next.id)?.focus();
  }, [charts]);

  if (charts === undefined) {
    if (!query.isError) return null;
    return (
      <Section title={texts.title}>
        <LoadError error={query.error} retry={() => void query.refetch()} />
      </Section>
    );
  }
  const shownCharts = charts.flatMap((pinned) => {
    const summary = summaries.find(({ endpoint }) => endpoint === pinned.endpoint);
    return summary === undefined ? [] : [{ pinned, summary }];
  });
  if (shownCharts.length === 0) return null;

  const move = (from: number, to: number) => {
    const [source, target] = [shownCharts[from], shownCharts[to]];
    if (source === undefined || target === undefined) return;
    nextFocus.current = { id: source.pinned.id, previousCharts: charts };
    setAnnouncement(texts.moved(isolateText(source.summary.name), to + 1, shownCharts.length));
    save(
      charts.map((chart) => {
        if (chart === source.pinned) return target.pinned;
        return chart === target.pinned ? source.pinned : chart;
      }),
    );
  };
  const remove = (index: number) => {
    const entry = shownCharts[index];
    if (entry === undefined) return;
    nextFocus.current = { id: (shownCharts[index + 1] ?? shownCharts[index - 1])?.pinned.id, previousCharts: charts };
    save(charts.filter((chart) => chart !== entry.pinned));
    offerUndo({ title: texts.removed, text: nameOf(entry), undo: () => save(charts) });
  };
  return (
    <Section title={texts.title}>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
      <ul className={classes.charts}>
        {shownCharts.map((entry, index) => (
          <PinnedChartItem
            key={entry.pinned.id}
            {...entry}
            menu={
              <Menu>
                <Menu.Target>
                  <ActionIcon
                    ref={(button) => {
                      if (button === null) buttons.current.delete(entry.pinned.id);
                      else buttons.current.set(entry.pinned.id, button);
                    }}
                    variant="subtle"
                    color="gray"
                    size={32}
                    aria-label={texts.menu(nameOf(entry))}
                  >
                    <IconDots {...ICON_PROPS} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconArrowLeft {...ICON_PROPS} />}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    {texts.moveEarlier}
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<IconArrowRight {...ICON_PROPS} />}
                    disabled={index === shownCharts.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    {texts.moveLater}
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Item leftSection={<IconPinnedOff {...ICON_PROPS} />} onClick={() => remove(index)}>
                    {texts.remove}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            }
          />
        ))}
      </ul>
    </Section>
  );
}

interface PinnedChartEntry {
  pinned: PinnedChart;
  summary: EndpointSummary;
}

function nameOf({ pinned: { chart }, summary }: PinnedChartEntry): string {
  return `${isolateText(summary.name)}, ${m.charts.kinds[chart.kind]}`;
}

function PinnedChartItem({ pinned, summary, menu }: PinnedChartEntry & { menu: ReactNode }) {
  const { ref, entry: intersection } = useIntersection<HTMLLIElement>({ rootMargin: `${LOAD_MARGIN_PX}px` });
  const [wasNear, setWasNear] = useState(false);
  if (intersection?.isIntersecting === true && !wasNear) setWasNear(true);
  const placeholder = <LoadingSkeleton rows={6} height={24} />;
  return (
    <li className={classes.chart} ref={ref}>
      <div className={classes.header}>
        <EndpointIcon icon={summary.icon} colour={summary.colour} />
        <span className={classes.endpoint}>
          <UntrustedText>{summary.name}</UntrustedText>
        </span>
        {menu}
      </div>
      {wasNear ? (
        <Suspense fallback={placeholder}>
          <PinnedChartFigure summary={summary} settings={pinned.chart} />
        </Suspense>
      ) : (
        placeholder
      )}
    </li>
  );
}
