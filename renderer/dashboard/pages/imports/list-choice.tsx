import { NativeSelect } from '@mantine/core';
import { withoutBidiControls } from '../../../../server/wire/isolation.ts';
import type { RecordLists } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.imports.preview.lists;

const toChoice = (path: readonly string[]): string => JSON.stringify(path);

/** @param names displayed part of the path */
function labelOf(
  { elements, objects }: RecordLists['lists'][number],
  names: readonly string[],
  isComplete: boolean,
): string {
  const name = withoutBidiControls(names.join(' \u203A '));
  return isComplete ? texts.list(name, elements, objects === elements) : texts.atLeast(name, elements);
}

interface ListChoiceProps {
  recordLists: RecordLists;
  /** For TopoJSON, the lists are the objects of the topology. */
  format: 'json' | 'topojson';
  /** Path of the chosen list; empty for the whole file. */
  path: readonly string[];
  change: (path: string[]) => void;
}

export function ListChoice({ recordLists, format, path, change }: ListChoiceProps) {
  const isTopology = format === 'topojson';
  const choices = recordLists.lists.map((list) => ({
    value: toChoice(list.path),
    // The path of each object of a topology begins with `objects`.
    label: labelOf(list, isTopology ? list.path.slice(1) : list.path, recordLists.complete),
  }));
  return (
    <NativeSelect
      label={texts.label}
      description={isTopology ? texts.topologyObject : texts.kinds[recordLists.kind]}
      value={toChoice(path)}
      data={isTopology ? choices : [...choices, { value: toChoice([]), label: texts.wholeFile }]}
      onChange={(event) => {
        const { value } = event.currentTarget;
        change([...(recordLists.lists.find((list) => toChoice(list.path) === value)?.path ?? [])]);
      }}
    />
  );
}
