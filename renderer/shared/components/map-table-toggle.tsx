import { SegmentedControl } from '@mantine/core';

interface MapTableToggleProps {
  texts: { view: string; asMap: string; asTable: string };
  isTableShown: boolean;
  onChange: (isTableShown: boolean) => void;
}

export function MapTableToggle({ texts, isTableShown, onChange }: MapTableToggleProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.view}
      value={isTableShown ? 'table' : 'map'}
      data={[
        { value: 'map', label: texts.asMap },
        { value: 'table', label: texts.asTable },
      ]}
      onChange={(view) => onChange(view === 'table')}
    />
  );
}
