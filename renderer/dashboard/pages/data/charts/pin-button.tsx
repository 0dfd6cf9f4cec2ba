import { Button } from '@mantine/core';
import { IconPin, IconPinFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { MAX_PINNED_CHARTS } from '../../../../../server/wire/limits.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type PinnedChartSettings, pinnedCharts, useSavePinnedCharts } from '../../../api/pinned-charts.ts';
import { isSameChart } from './chart-settings.ts';

const texts = m.charts.pins;
const ICON_PROPS = { size: 15, stroke: 1.6 };

export function PinButton({ endpoint, settings }: { endpoint: string; settings: PinnedChartSettings }) {
  const charts = useQuery(pinnedCharts).data;
  const { mutate, isPending } = useSavePinnedCharts();
  const pinnedChart = charts?.find((entry) => entry.endpoint === endpoint && isSameChart(entry.chart, settings));
  const isPinned = pinnedChart !== undefined;
  const toggle = () => {
    if (charts === undefined || isPending) return;
    if (isPinned) mutate(charts.filter((entry) => entry !== pinnedChart));
    else if (charts.length >= MAX_PINNED_CHARTS) showToast(texts.full(MAX_PINNED_CHARTS), texts.fullText);
    else mutate([...charts, { endpoint, chart: settings }]);
  };
  return (
    <Button
      variant="default"
      size="xs"
      aria-pressed={isPinned}
      disabled={charts === undefined}
      title={isPinned ? texts.remove : undefined}
      leftSection={isPinned ? <IconPinFilled {...ICON_PROPS} /> : <IconPin {...ICON_PROPS} />}
      onClick={toggle}
    >
      {isPinned ? texts.pinned : texts.pin}
    </Button>
  );
}
