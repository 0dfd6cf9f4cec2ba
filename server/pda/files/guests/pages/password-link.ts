import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/invitations.ts';
import { timeText } from '../../page-format.ts';
import { field, formProblem, guestPage, messagePage, type FrameParts } from './frame.ts';
import { GUEST_TEXTS } from './texts.ts';

/** Pages of a link with which a guest sets a new password. */

export type PasswordLinkProblem =
  | 'passwordMissing'
  | 'passwordWeak'
  | 'passwordsDiffer'
  | 'wait'
  | 'readable'
  | 'foreignForm';

const FIELD_OF: Readonly<Record<PasswordLinkProblem, 'password' | 'repeat' | 'form'>> = {
  passwordMissing: 'password',
  passwordWeak: 'password',
  passwordsDiffer: 'repeat',
  wait: 'form',
  readable: 'form',
  foreignForm: 'form',
};

/** `name`: of the guest; `expires`: Unix milliseconds. */
export type PasswordLinkContent = {
  action: string;
  owner: string;
  name: string;
  expires: number;
  problem?: PasswordLinkProblem;
};

/** Renders the page of an open link, with the form that sets the password. */
export const passwordLinkPage = (frame: FrameParts, content: PasswordLinkContent): string => {
  const texts = GUEST_TEXTS[frame.language];
  const { problem, name } = content;
  const problemAt = (place: (typeof FIELD_OF)[PasswordLinkProblem]): string | undefined =>
    problem !== undefined && FIELD_OF[problem] === place ? texts[problem] : undefined;
  return guestPage(frame, {
    title: texts.passwordLinkTitle,
    // The hidden name tells password managers which account the password belongs to.
    body: `<h1>${texts.passwordLinkTitle}</h1>
<p class="soft">${escapeHtml(texts.passwordLinkText(name, content.owner, frame.host))}</p>
<form method="post" action="${escapeHtml(content.action)}">
${formProblem(problemAt('form'))}
<input type="text" name="name" value="${escapeHtml(name)}" autocomplete="username" hidden readonly>
${field({
  name: 'password',
  label: texts.newPassword,
  type: 'password',
  autocomplete: 'new-password',
  hint: texts.passwordHint,
  problem: problemAt('password'),
})}
${field({
  name: 'repeat',
  label: texts.repeat,
  type: 'password',
  autocomplete: 'new-password',
  problem: problemAt('repeat'),
})}
<button>${texts.setPassword}</button>
</form>
<p class="soft">${escapeHtml(texts.passwordLinkUntil(timeText(content.expires, frame.language)))}</p>`,
  });
};

/** Renders the page of a link that has ended. */
export const endedPasswordLinkPage = (frame: FrameParts, reason: 'expired' | 'revoked' | 'accepted'): string => {
  const texts = GUEST_TEXTS[frame.language];
  const signIn = `<p><a class="button" href="${GUEST_PATH}/sign-in">${texts.signIn}</a></p>`;
  return messagePage(frame, texts[`${reason}LinkTitle`], texts[`${reason}Link`], reason === 'accepted' ? signIn : '');
};
