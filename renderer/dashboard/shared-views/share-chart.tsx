import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { m } from '../../shared/messages/texts.ts';
import type { ChartSettings } from '../api/pinned-charts.ts';
import { ShareViewDialog } from './share-view-dialog.tsx';
import { chartDefinition, shareableName } from './shared-view.ts';

const words = m.sharedViews;

interface ShareChartProps {
  endpoint: string;
  title: string;
  settings: ChartSettings;
}

/** Button and dialog that share a chart. */
export function ShareChart({ endpoint, title, settings }: ShareChartProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const definition = chartDefinition(settings);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        disabled={definition === undefined}
        title={definition === undefined ? words.onlyAggregates : undefined}
        leftSection={<IconUserPlus size={15} stroke={1.6} />}
        onClick={dialog.open}
      >
        {words.share}
      </Button>
      {definition !== undefined && (
        <ShareViewDialog
          key={title}
          view={{ endpoint, name: shareableName(title, endpoint), definition }}
          opened={isOpen}
          close={dialog.close}
        >
          <Text size="sm">{words.chartText}</Text>
          <Text size="sm" c="dimmed" mt="xs">
            {words.chartLater}
          </Text>
        </ShareViewDialog>
      )}
    </>
  );
}
