import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import { timeText } from '../../page-format.ts';
import { problemTexts, type AcceptProblem } from './entry.ts';
import { formProblem, guestPage, messagePage, newPasswordFields, type FrameParts } from './frame.ts';
import { GUEST_TEXTS } from './texts.ts';

type PasswordLinkContent = {
  action: string;
  owner: string;
  name: string;
  /** Unix milliseconds. */
  expires: number;
  problem?: AcceptProblem;
};

export const passwordLinkPage = (frame: FrameParts, content: PasswordLinkContent): string => {
  const texts = GUEST_TEXTS[frame.language];
  const { problem, name } = content;
  const problemAt = problemTexts(problem, texts);
  return guestPage(frame, {
    title: texts.passwordLinkTitle,
    // The hidden name tells password managers which account the password belongs to.
    body: `<h1>${texts.passwordLinkTitle}</h1>
<p class="secondary">${escapeHtml(texts.passwordLinkText(name, content.owner, frame.host))}</p>
<form method="post" action="${escapeHtml(content.action)}">
${formProblem(problemAt('form'))}
<input type="text" name="name" value="${escapeHtml(name)}" autocomplete="username" hidden readonly>
${newPasswordFields({ name: 'password', label: texts.newPassword, problem: problemAt('password'), repeatProblem: problemAt('repeat') }, texts)}
<button>${texts.setPassword}</button>
</form>
<p class="secondary">${escapeHtml(texts.passwordLinkUntil(timeText(content.expires, frame.language)))}</p>`,
  });
};

export const endedPasswordLinkPage = (frame: FrameParts, reason: 'expired' | 'revoked' | 'accepted'): string => {
  const texts = GUEST_TEXTS[frame.language];
  const signIn = `<p><a class="button" href="${GUEST_PATH}/sign-in">${texts.signIn}</a></p>`;
  return messagePage(frame, texts[`${reason}LinkTitle`], texts[`${reason}Link`], reason === 'accepted' ? signIn : '');
};
