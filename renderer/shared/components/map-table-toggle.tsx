import { SegmentedControl } from '@mantine/core';

interface MapTableToggleProps {
  words: { view: string; asMap: string; asTable: string };
  isTableShown: boolean;
  onChange: (isTableShown: boolean) => void;
}

export function MapTableToggle({ words, isTableShown, onChange }: MapTableToggleProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.view}
      value={isTableShown ? 'table' : 'map'}
      data={[
        { value: 'map', label: words.asMap },
        { value: 'table', label: words.asTable },
      ]}
      onChange={(view) => onChange(view === 'table')}
    />
  );
}
