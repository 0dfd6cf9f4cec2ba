import { runWithToast, showToast } from '../../shared/feedback/toasts.tsx';
import { m } from '../../shared/messages/texts.ts';
import { endShare, shareWithPerson, type ShareTarget, type TargetShare } from '../api/files/target-shares.ts';

const texts = m.targetShares;

export async function shareTargetWithUser(target: ShareTarget, user: { userId: string; name: string }): Promise<void> {
  if (await runWithToast(() => shareWithPerson(target, user.userId)))
    showToast(texts[target.kind].shared(user.name, target.name));
}

export async function stopSharingTarget(share: TargetShare): Promise<void> {
  const { target, name } = share;
  if (await runWithToast(() => endShare(share)))
    showToast(texts[target.kind].stopped(name, target.name), texts.stoppedText);
}
