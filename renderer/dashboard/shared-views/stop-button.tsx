import { isolateText } from '../../../server/wire/isolation.ts';
import type { SharedView } from '../../shared/api/contract.ts';
import { ActionButton } from '../../shared/feedback/action-button.tsx';
import { runWithToast, showToast } from '../../shared/feedback/toasts.tsx';
import { m } from '../../shared/messages/texts.ts';
import { unshareView } from '../api/shared-views.ts';

const texts = m.sharedViews;

export function StopSharingViewButton({ view }: { view: SharedView }) {
  const [name, person] = [isolateText(view.name), isolateText(view.userName)];
  const stop = async () => {
    if (await runWithToast(() => unshareView(view.sharedViewId)))
      showToast(texts.stopped(person, name), view.definition.kind === 'table' ? m.targetShares.stoppedText : undefined);
  };
  return (
    <ActionButton isDestructive label={texts.stopLabel(person, name)} action={stop}>
      {m.shell.stop}
    </ActionButton>
  );
}
