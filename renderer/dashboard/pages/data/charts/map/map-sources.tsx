import { Text } from '@mantine/core';
import { m } from '../../../../../shared/messages/texts.ts';
import { Attribution } from './detail/attribution.tsx';
import type { StreetDetail } from './detail/street-detail.ts';

const words = m.charts.map;

interface MapSourcesProps {
  /** Whether the map is a picture without controls. */
  isStatic: boolean;
  detail: StreetDetail | undefined;
}

/** Sources of a map, shown below it. A picture names only the authors of the street detail. */
export function MapSources({ isStatic, detail }: MapSourcesProps) {
  if (isStatic && detail === undefined) return null;
  return (
    <Text size="xs" c="dimmed" mt={isStatic ? 'xs' : 'md'}>
      {!isStatic && words.sources}
      {detail !== undefined && detail.attribution !== '' && (
        <>
          {' '}
          {words.detail.attribution} <Attribution html={detail.attribution} />
        </>
      )}
    </Text>
  );
}
