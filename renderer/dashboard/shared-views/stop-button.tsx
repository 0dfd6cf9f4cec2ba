import { Button } from '@mantine/core';
import { useState } from 'react';
import { isolateText } from '../../../server/wire/isolation.ts';
import type { SharedView } from '../../shared/api/contract.ts';
import { showProblemToast, showToast } from '../../shared/feedback/toasts.tsx';
import { m } from '../../shared/messages/texts.ts';
import { unshareView } from '../api/shared-views.ts';

const words = m.sharedViews;

/** Button that stops sharing a table or chart with a person. */
export function StopSharingView({ view }: { view: SharedView }) {
  const [busy, setBusy] = useState(false);
  const [name, person] = [isolateText(view.name), isolateText(view.userName)];
  const stop = async () => {
    setBusy(true);
    try {
      await unshareView(view.sharedViewId);
      showToast(words.stopped(person, name), words.stoppedText);
    } catch (error) {
      showProblemToast(m.shell.problem.notDone, error);
    }
    setBusy(false);
  };
  return (
    <Button
      variant="default"
      size="xs"
      c="var(--stop)"
      aria-label={words.stopLabel(person, name)}
      loading={busy}
      onClick={() => void stop()}
    >
      {words.stop}
    </Button>
  );
}
