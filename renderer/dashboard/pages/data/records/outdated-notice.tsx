import { Button } from '@mantine/core';
import { Callout } from '../../../../shared/components/callout.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.data.editor;

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
