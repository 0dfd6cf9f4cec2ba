import type { SecondFactor } from '../../api/account/second-factor.ts';
import { m } from '../../../shared/messages/texts.ts';

const words = m.secondFactor.home;
export const LOW_RECOVERY_CODES = 3;

export function secondFactorNotices({
  news,
  recovery,
}: SecondFactor): { title: string; text: string; needsAcknowledgement: boolean }[] {
  const { wrongTries, lastWrongTry, recoveryUsed } = news;
  const remainingCodes = recovery?.left ?? 0;
  return [
    ...(wrongTries > 0 && lastWrongTry !== null
      ? [{ title: words.wrong(wrongTries), text: words.wrongText(lastWrongTry), needsAcknowledgement: true }]
      : []),
    ...(recoveryUsed === null
      ? []
      : [
          { title: words.recovery(remainingCodes), text: words.recoveryText(recoveryUsed), needsAcknowledgement: true },
        ]),
    ...(recovery !== null && remainingCodes < LOW_RECOVERY_CODES && recoveryUsed === null
      ? [{ title: words.few(remainingCodes), text: words.fewText, needsAcknowledgement: false }]
      : []),
  ];
}
