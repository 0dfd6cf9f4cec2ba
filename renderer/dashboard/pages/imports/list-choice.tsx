import { NativeSelect } from '@mantine/core';
import { withoutBidiControls } from '../../../../server/wire/isolation.ts';
import type { RecordLists } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './table-preview.module.css';

const words = m.imports.preview.lists;

const toChoice = (path: readonly string[]): string => JSON.stringify(path);

function labelOf({ path, elements, objects }: RecordLists['lists'][number], isComplete: boolean): string {
  const name = withoutBidiControls(path.join(' \u203A '));
  return isComplete ? words.list(name, elements, objects === elements) : words.atLeast(name, elements);
}

interface ListChoiceProps {
  recordLists: RecordLists;
  /** Names that lead to the chosen list; empty for the whole file. */
  path: readonly string[];
  change: (path: string[]) => void;
}

/** Choice of the list that contains the records of a JSON file. */
export function ListChoice({ recordLists, path, change }: ListChoiceProps) {
  const choices = recordLists.lists.map((list) => ({
    value: toChoice(list.path),
    label: labelOf(list, recordLists.complete),
  }));
  return (
    <NativeSelect
      label={words.label}
      description={words.kinds[recordLists.kind]}
      value={toChoice(path)}
      data={[...choices, { value: toChoice([]), label: words.wholeFile }]}
      onChange={(event) => {
        const { value } = event.currentTarget;
        change([...(recordLists.lists.find((list) => toChoice(list.path) === value)?.path ?? [])]);
      }}
    />
  );
}

/** Explains what a TopoJSON file contains. */
export function TopoJsonNotice() {
  return (
    <div className={classes.notice}>
      <Callout tone="neutral" title={words.topoJsonTitle}>
        {words.topoJsonText}
      </Callout>
    </div>
  );
}
