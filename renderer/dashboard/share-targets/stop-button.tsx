import { ActionButton } from '../../shared/feedback/action-button.tsx';
import { m } from '../../shared/messages/texts.ts';
import type { TargetShare } from '../api/files/target-shares.ts';
import { stopSharingTarget } from './actions.ts';

const texts = m.targetShares;

export function StopSharingTargetButton({ share }: { share: TargetShare }) {
  const { target, name } = share;
  return (
    <ActionButton
      isDestructive
      label={texts[target.kind].stopLabel(name, target.name)}
      action={() => stopSharingTarget(share)}
    >
      {m.shell.stop}
    </ActionButton>
  );
}
