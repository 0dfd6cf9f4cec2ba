import type { SecondFactor } from '../../api/account/second-factor.ts';
import { m } from '../../../shared/messages/texts.ts';

const words = m.secondFactor.home;
/** Recovery codes of which fewer are left than that run out. */
export const FEW = 3;

/** What the owner should know of it, worst first. `isNews`: until the owner has said to have seen it. */
export function newsOf({ news, recovery }: SecondFactor): { title: string; text: string; isNews: boolean }[] {
  const { wrongTries, lastWrongTry, recoveryUsed } = news;
  const left = recovery?.left ?? 0;
  return [
    ...(wrongTries > 0 && lastWrongTry !== null
      ? [{ title: words.wrong(wrongTries), text: words.wrongText(lastWrongTry), isNews: true }]
      : []),
    ...(recoveryUsed === null
      ? []
      : [{ title: words.recovery(left), text: words.recoveryText(recoveryUsed), isNews: true }]),
    ...(recovery !== null && left < FEW && recoveryUsed === null
      ? [{ title: words.few(left), text: words.fewText, isNews: false }]
      : []),
  ];
}
