import { Button } from '@mantine/core';
import { useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import type { TargetShare } from '../api/files/target-shares.ts';
import { stopSharingTarget } from './actions.ts';

const words = m.targetShares;

/** Button that stops sharing a folder or collection with a person. */
export function StopSharingTarget({ share }: { share: TargetShare }) {
  const [busy, setBusy] = useState(false);
  const stop = async () => {
    setBusy(true);
    await stopSharingTarget(share);
    setBusy(false);
  };
  return (
    <Button
      variant="default"
      size="xs"
      c="var(--stop)"
      aria-label={words[share.target.kind].stopLabel(share.name, share.target.name)}
      loading={busy}
      onClick={() => void stop()}
    >
      {words.stop}
    </Button>
  );
}
