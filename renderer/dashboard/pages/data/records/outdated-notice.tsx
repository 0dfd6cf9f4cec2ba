import { Button } from '@mantine/core';
import { Callout } from '../../../../shared/components/callout.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.data.editor;

/** Notice that another program has changed the record being edited. */
export function OutdatedNotice({ load }: { load: () => void }) {
  return (
    <Callout
      tone="attention"
      title={words.outdated}
      urgent
      action={
        <Button variant="default" size="xs" onClick={load}>
          {words.load}
        </Button>
      }
    >
      {words.outdatedText}
    </Callout>
  );
}
