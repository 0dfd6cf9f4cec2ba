import { Button } from '@mantine/core';
import { Callout } from '../../../../shared/components/callout.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.data.editor;

export function OutdatedNotice({ load }: { load: () => void }) {
  return (
    <Callout
      tone="attention"
      title={texts.outdated}
      urgent
      action={
        <Button variant="default" size="xs" onClick={load}>
          {texts.load}
        </Button>
      }
    >
      {texts.outdatedText}
    </Callout>
  );
}
