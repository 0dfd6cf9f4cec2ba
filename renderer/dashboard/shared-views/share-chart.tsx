import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { m } from '../../shared/messages/texts.ts';
import type { ChartSettings } from '../api/pinned-charts.ts';
import { ShareViewDialog } from './share-view-dialog.tsx';
import { shareableName } from './shared-view.ts';

const texts = m.sharedViews;

interface ShareChartProps {
  endpoint: string;
  endpointName: string;
  title: string;
  settings: ChartSettings;
}

export function ShareChart({ endpoint, endpointName, title, settings }: ShareChartProps) {
  const [isOpen, dialog] = useDisclosure(false);
  // The title of a calendar is the visible month, and the title of a map contains the current number of records.
  const hasChangingTitle = settings.kind === 'calendar' || settings.kind === 'map';
  const name = shareableName(hasChangingTitle ? endpointName : title, endpoint);
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconUserPlus size={15} stroke={1.6} />} onClick={dialog.open}>
        {texts.share}
      </Button>
      <ShareViewDialog
        key={name}
        view={{ endpoint, name, definition: { kind: 'chart', chart: settings } }}
        opened={isOpen}
        close={dialog.close}
      >
        <Text>{texts.chartText[settings.kind]}</Text>
        <Text c="dimmed" mt="xs">
          {texts.chartLater}
        </Text>
      </ShareViewDialog>
    </>
  );
}
