import { SegmentedControl } from '@mantine/core';

interface MapTableToggleProps {
  words: { view: string; asMap: string; asTable: string };
  asTable: boolean;
  choose: (asTable: boolean) => void;
}

export function MapTableToggle({ words, asTable, choose }: MapTableToggleProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.view}
      value={asTable ? 'table' : 'map'}
      data={[
        { value: 'map', label: words.asMap },
        { value: 'table', label: words.asTable },
      ]}
      onChange={(view) => choose(view === 'table')}
    />
  );
}
