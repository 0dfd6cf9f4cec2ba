import { Text } from '@mantine/core';
import { m } from '../../../../../shared/messages/texts.ts';
import { Attribution } from './detail/attribution.tsx';
import type { StreetDetail } from './detail/street-detail.ts';

const texts = m.charts.map;

interface MapSourcesProps {
  /** True for a map without controls. */
  isStatic: boolean;
  detail: StreetDetail | undefined;
}

/** A map without controls names only the authors of the street detail. */
export function MapSources({ isStatic, detail }: MapSourcesProps) {
  const hasAttribution = detail !== undefined && detail.attribution !== '';
  if (isStatic && !hasAttribution) return null;
  return (
    <Text size="xs" c="dimmed" mt={isStatic ? 'xs' : 'md'}>
      {!isStatic && texts.sources}
      {hasAttribution && (
        <>
          {' '}
          {texts.detail.attribution} <Attribution html={detail.attribution} />
        </>
      )}
    </Text>
  );
}
