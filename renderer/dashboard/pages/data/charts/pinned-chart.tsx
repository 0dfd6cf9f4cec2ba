import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import type { PinnedChartSettings } from '../../../api/pinned-charts.ts';
import { endpointFields } from '../../../api/queries.ts';
import { endpointPath } from '../../../navigation.ts';
import { chartPath, hasFields, viewOfSettings } from './chart-settings.ts';
import { DrawnChart } from './drawn-chart.tsx';
import { resolveChart } from './resolve-chart.ts';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.charts.pins;

interface PinnedChartFigureProps {
  summary: EndpointSummary;
  settings: PinnedChartSettings;
}

export function PinnedChartFigure({ summary, settings }: PinnedChartFigureProps) {
  const { endpoint } = summary;
  const fields = useQuery(endpointFields(endpoint));
  if (fields.data === undefined) return <QueryBoundary query={fields} rows={6} height={24} />;
  const view = viewOfSettings(settings);
  const chart = resolveChart(view, fields.data.fields, []);
  if (!hasFields(chart, settings))
    return (
      <Text c="dimmed">
        {texts.withoutFields}{' '}
        <TextLink to={`${endpointPath(endpoint)}?view=chart`} inherit>
          {texts.choose}
        </TextLink>
      </Text>
    );
  return (
    <DrawnChart
      chart={chart}
      view={view}
      summary={summary}
      frame={{ location: 'home', to: chartPath(endpoint, settings) }}
    />
  );
}
