import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/invitations.ts';
import type { Language } from '../../../../wire/language.ts';
import type { Session } from '../../../../wire/owner.ts';
import { parseUserAgent } from '../../../../wire/user-agent.ts';
import { timeText } from '../../page-format.ts';
import {
  field,
  formProblem,
  formTokenField,
  guestPage,
  newPasswordFields,
  type FrameParts,
  type PageGuest,
} from './frame.ts';
import { GUEST_TEXTS } from './texts.ts';

/** The account page of a guest: sessions, password, and deletion of the account. */

/** A problem of a form of the page. */
export type AccountProblem = {
  form: 'password' | 'leave' | 'page';
  text: 'wrongPassword' | 'passwordWeak' | 'passwordMissing' | 'passwordsDiffer' | 'wait' | 'readable' | 'foreignForm';
};

export type AccountPageContent = {
  guest: PageGuest;
  owner: string;
  sessions: readonly Session[];
  problem?: AccountProblem;
  /** True after the password was changed. */
  isPasswordSaved?: boolean;
};

/** Problems of a new password. All others concern the current password or the whole form. */
const NEW_PASSWORD_PROBLEMS: ReadonlySet<string> = new Set(['passwordWeak', 'passwordMissing']);

const browserText = ({ userAgent }: Session, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const names = parseUserAgent(userAgent);
  return names === undefined ? texts.unknownBrowser : texts.browserOn(names.browser, names.system);
};

const sessionRow = (session: Session, guest: PageGuest, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const browser = browserText(session, language);
  const used = escapeHtml(texts.lastUsed(timeText(Date.parse(session.lastSeen), language)));
  const end = session.current
    ? `<span class="soft">${texts.thisBrowser}</span>`
    : `<form method="post" action="${GUEST_PATH}/sessions/${escapeHtml(session.id)}/end">${formTokenField(guest)}<button class="plain" aria-label="${escapeHtml(texts.endSessionOf(browser))}">${texts.endSession}</button></form>`;
  return `<li><span>${escapeHtml(browser)}<small>${used}</small></span><span class="actions">${end}</span></li>`;
};

const passwordSection = ({ guest, problem, isPasswordSaved }: AccountPageContent, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const text = problem?.form === 'password' ? problem.text : undefined;
  const isOfNewPassword = text !== undefined && NEW_PASSWORD_PROBLEMS.has(text);
  const isOfForm = text === 'wait' || text === 'readable';
  return `<section><h2>${texts.passwordTitle}</h2><p class="soft">${texts.passwordText}</p>
${isPasswordSaved === true ? `<p class="notice" role="status">${texts.passwordSaved}</p>` : ''}
<form method="post" action="${GUEST_PATH}/password">${formTokenField(guest)}
<input type="hidden" name="username" value="${escapeHtml(guest.name)}" autocomplete="username">
${formProblem(isOfForm ? texts[text] : undefined)}
${field({
  name: 'password',
  label: texts.currentPassword,
  type: 'password',
  autocomplete: 'current-password',
  problem: text === 'wrongPassword' ? texts.wrongPassword : undefined,
})}
${newPasswordFields({ name: 'newPassword', label: texts.newPassword, problem: isOfNewPassword ? texts[text] : undefined, repeatProblem: text === 'passwordsDiffer' ? texts.passwordsDiffer : undefined }, texts)}
<button>${texts.changePassword}</button></form></section>`;
};

const leaveSection = ({ guest, owner, problem }: AccountPageContent, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  return `<section><h2>${texts.leaveTitle}</h2><p class="soft">${escapeHtml(texts.leaveText(owner))}</p>
<form method="post" action="${GUEST_PATH}/leave">${formTokenField(guest)}
${field({
  name: 'leavePassword',
  label: texts.currentPassword,
  type: 'password',
  autocomplete: 'current-password',
  problem: problem?.form === 'leave' ? texts[problem.text] : undefined,
})}
<button class="stop">${texts.leave}</button></form></section>`;
};

/** Renders the account page of a guest. */
export const accountPage = (frame: FrameParts, content: AccountPageContent): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const { guest, sessions, problem } = content;
  return guestPage(
    { ...frame, guest, current: 'account' },
    {
      title: texts.account,
      body: [
        `<h1>${texts.account}</h1><p class="soft"><bdi>${escapeHtml(texts.signedInAs(guest.name))}</bdi></p>`,
        formProblem(problem?.form === 'page' ? texts[problem.text] : undefined),
        `<section><h2>${texts.sessionsTitle}</h2><ul>${sessions.map((session) => sessionRow(session, guest, language)).join('')}</ul>`,
        `<form method="post" action="${GUEST_PATH}/sessions/end">${formTokenField(guest)}<button class="plain">${texts.endAllSessions}</button></form></section>`,
        passwordSection(content, language),
        leaveSection(content, language),
      ].join('\n'),
    },
  );
};
