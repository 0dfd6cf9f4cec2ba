import { showProblemToast, showToast } from '../../shared/feedback/toasts.tsx';
import { m } from '../../shared/messages/texts.ts';
import { endShare, shareWithPerson, type ShareTarget, type TargetShare } from '../api/files/target-shares.ts';

const words = m.targetShares;

/** Shares a folder or collection with a person and shows the result. */
export async function shareTargetWithUser(target: ShareTarget, user: { userId: string; name: string }): Promise<void> {
  try {
    await shareWithPerson(target, user.userId);
    showToast(words[target.kind].shared(user.name, target.name));
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}

/** Stops sharing a folder or collection with a person and shows the result. */
export async function stopSharingTarget(share: TargetShare): Promise<void> {
  const { target, name } = share;
  try {
    await endShare(share);
    showToast(words[target.kind].stopped(name, target.name), words.stoppedText);
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}
