import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import type { Language } from '../../../../wire/language.ts';
import type { Session } from '../../../../wire/owner.ts';
import { parseUserAgent } from '../../../../wire/user-agent.ts';
import { timeText } from '../../page-format.ts';
import { csrfTokenField, formProblem, guestPage, newPasswordFields, type FrameParts, type PageGuest } from './frame.ts';
import { confirmationParts, passkeySection, type Confirmation, type PagePasskey } from './passkeys.ts';
import { GUEST_TEXTS } from './texts.ts';

export type AccountProblem = {
  form: 'password' | 'leave' | 'page';
  text:
    | 'wrongPassword'
    | 'wrongPasskey'
    | 'passwordWeak'
    | 'passwordInvalid'
    | 'passwordsDiffer'
    | 'wait'
    | 'untrustedAddress'
    | 'foreignForm';
};

type AccountPageContent = {
  guest: PageGuest;
  owner: string;
  sessions: readonly Session[];
  problem?: AccountProblem;
  /** Change that the page confirms. */
  saved?: AccountNotice | undefined;
  passkeys: readonly PagePasskey[];
  canAddPasskey: boolean;
  confirmations: Readonly<Record<'password' | 'leave', Confirmation>>;
};

export const ACCOUNT_NOTICES = ['password', 'passkeySaved', 'passkeyRemoved'] as const;
export type AccountNotice = (typeof ACCOUNT_NOTICES)[number];

const NEW_PASSWORD_PROBLEMS: ReadonlySet<string> = new Set(['passwordWeak', 'passwordInvalid']);

export const browserNameOf = (userAgent: string, language: Language): string | undefined => {
  const names = parseUserAgent(userAgent);
  return names === undefined ? undefined : GUEST_TEXTS[language].browserOn(names.browser, names.system);
};

const sessionRow = (session: Session, guest: PageGuest, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const browser = browserNameOf(session.userAgent, language) ?? texts.unknownBrowser;
  const lastUsed = escapeHtml(texts.lastUsed(timeText(Date.parse(session.lastSeen), language)));
  const endControl = session.current
    ? `<span class="secondary">${texts.thisBrowser}</span>`
    : `<form method="post" action="${GUEST_PATH}/sessions/${escapeHtml(session.id)}/end">${csrfTokenField(guest)}<button class="link-button" aria-label="${escapeHtml(texts.endSessionOf(browser))}">${texts.endSession}</button></form>`;
  return `<li><span>${escapeHtml(browser)}<small>${lastUsed}</small></span><span class="actions">${endControl}</span></li>`;
};

const passwordSection = (content: AccountPageContent, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const { guest, problem, saved, confirmations } = content;
  const confirmation = confirmations.password;
  const hasPassword = confirmation.kind === 'password';
  const text = problem?.form === 'password' ? problem.text : undefined;
  const isNewPasswordProblem = text !== undefined && NEW_PASSWORD_PROBLEMS.has(text);
  const isFormProblem = text === 'wait' || text === 'untrustedAddress';
  const newPassword = newPasswordFields(
    {
      name: 'newPassword',
      label: texts.newPassword,
      problem: isNewPasswordProblem ? texts[text] : undefined,
      repeatProblem: text === 'passwordsDiffer' ? texts.passwordsDiffer : undefined,
    },
    texts,
  );
  const isProofProblem = text === 'wrongPassword' || text === 'wrongPasskey';
  const controls = confirmationParts(
    confirmation,
    {
      fieldName: 'password',
      label: hasPassword ? texts.changePassword : texts.setPassword,
      problem: isProofProblem ? texts[text] : undefined,
    },
    texts,
  );
  return `<section><h2>${hasPassword ? texts.passwordTitle : texts.setPasswordTitle}</h2><p class="secondary">${hasPassword ? texts.passwordText : texts.setPasswordText}</p>
${saved === 'password' ? `<p class="notice" role="status">${texts.passwordSaved}</p>` : ''}
<form method="post" action="${GUEST_PATH}/password">${csrfTokenField(guest)}
<input type="hidden" name="username" value="${escapeHtml(guest.name)}" autocomplete="username">
${formProblem(isFormProblem ? texts[text] : undefined)}
${controls.field}
${newPassword}
${controls.button}</form></section>`;
};

const leaveSection = ({ guest, owner, problem, confirmations }: AccountPageContent, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const controls = confirmationParts(
    confirmations.leave,
    {
      fieldName: 'leavePassword',
      label: texts.leave,
      variant: 'stop',
      problem: problem?.form === 'leave' ? texts[problem.text] : undefined,
    },
    texts,
  );
  return `<section><h2>${texts.leaveTitle}</h2><p class="secondary">${escapeHtml(texts.leaveText(owner))}</p>
<form method="post" action="${GUEST_PATH}/leave">${csrfTokenField(guest)}
${controls.field}
${controls.button}</form></section>`;
};

export const accountPage = (frame: FrameParts, content: AccountPageContent): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const { guest, sessions, problem } = content;
  return guestPage(
    { ...frame, guest, current: 'account' },
    {
      title: texts.account,
      body: [
        `<h1>${texts.account}</h1><p class="secondary"><bdi>${escapeHtml(texts.signedInAs(guest.name))}</bdi></p>`,
        formProblem(problem?.form === 'page' ? texts[problem.text] : undefined),
        `<section><h2>${texts.sessionsTitle}</h2><ul>${sessions.map((session) => sessionRow(session, guest, language)).join('')}</ul>`,
        `<form method="post" action="${GUEST_PATH}/sessions/end">${csrfTokenField(guest)}<button class="link-button">${texts.endAllSessions}</button></form></section>`,
        passkeySection(
          {
            passkeys: content.passkeys,
            canAdd: content.canAddPasskey,
            notice: content.saved === undefined || content.saved === 'password' ? undefined : texts[content.saved],
          },
          language,
        ),
        passwordSection(content, language),
        leaveSection(content, language),
      ].join('\n'),
    },
  );
};
