import type { SecondFactor } from '../../api/account/second-factor.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.secondFactor.home;
/** With fewer codes left, the owner is asked to create new ones. */
export const MIN_RECOVERY_CODES = 3;

export function secondFactorNotices({
  news,
  recovery,
}: SecondFactor): { title: string; text: string; needsAcknowledgement: boolean }[] {
  const { wrongTries, lastWrongTry, recoveryUsed } = news;
  const remainingCodes = recovery?.left ?? 0;
  return [
    ...(wrongTries > 0 && lastWrongTry !== null
      ? [{ title: texts.wrong(wrongTries), text: texts.wrongText(lastWrongTry), needsAcknowledgement: true }]
      : []),
    ...(recoveryUsed === null
      ? []
      : [
          { title: texts.recovery(remainingCodes), text: texts.recoveryText(recoveryUsed), needsAcknowledgement: true },
        ]),
    ...(recovery !== null && remainingCodes < MIN_RECOVERY_CODES && recoveryUsed === null
      ? [{ title: texts.few(remainingCodes), text: texts.fewText, needsAcknowledgement: false }]
      : []),
  ];
}
