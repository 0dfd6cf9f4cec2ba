import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import type { Language } from '../../../../wire/language.ts';
import { timeText } from '../../page-format.ts';
import { field, formProblem, guestPage, messagePage, newPasswordFields, type FrameParts } from './frame.ts';
import { passkeyButton, type PageCeremony } from './passkeys.ts';
import { GUEST_TEXTS, type GuestTexts } from './texts.ts';

const LISTED_FILES_MAX = 10;

export type AcceptProblem =
  | 'nameInvalid'
  | 'nameTaken'
  | 'passwordInvalid'
  | 'passwordWeak'
  | 'passwordsDiffer'
  | 'wait'
  | 'untrustedAddress'
  | 'foreignForm'
  | 'passkeyRefused'
  | 'passkeyTaken';

type InvitationPageContent = {
  action: string;
  owner: string;
  expires: number;
  name: string;
  fileNames: readonly string[];
  /** Undefined if passkeys do not work at this address. */
  passkey: PageCeremony | undefined;
  folder: string | undefined;
  collection: string | undefined;
  problem?: AcceptProblem;
};

const FIELD_OF: Readonly<Record<AcceptProblem, 'name' | 'password' | 'repeat' | 'form'>> = {
  nameInvalid: 'name',
  nameTaken: 'name',
  passwordInvalid: 'password',
  passwordWeak: 'password',
  passwordsDiffer: 'repeat',
  wait: 'form',
  untrustedAddress: 'form',
  foreignForm: 'form',
  passkeyRefused: 'form',
  passkeyTaken: 'form',
};

export const problemTexts =
  (problem: AcceptProblem | undefined, texts: GuestTexts) =>
  (target: (typeof FIELD_OF)[AcceptProblem]): string | undefined =>
    problem !== undefined && FIELD_OF[problem] === target ? texts[problem] : undefined;

type SharedContent = Pick<InvitationPageContent, 'fileNames' | 'folder' | 'collection'>;

const sharedContent = ({ fileNames, folder, collection }: SharedContent, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const nameSection = (heading: string, name: string | undefined): string =>
    name === undefined ? '' : `<h2>${heading}</h2><ul class="names"><li><bdi>${escapeHtml(name)}</bdi></li></ul>`;
  const targetSections =
    nameSection(texts.invitationFolder, folder) + nameSection(texts.invitationCollection, collection);
  if (fileNames.length === 0 && targetSections !== '') return targetSections;
  return targetSections + sharedFiles(fileNames, language);
};

const sharedFiles = (names: readonly string[], language: Language): string => {
  const texts = GUEST_TEXTS[language];
  if (names.length === 0) return `<p class="secondary">${texts.invitationNoFiles}</p>`;
  const items = names.slice(0, LISTED_FILES_MAX).map((name) => `<li><bdi>${escapeHtml(name)}</bdi></li>`);
  const remainingCount = names.length - items.length;
  return `<h2>${texts.invitationFiles(names.length)}</h2><ul class="names">${items.join('')}${
    remainingCount > 0 ? `<li>${texts.invitationMoreFiles(remainingCount)}</li>` : ''
  }</ul>`;
};

export const invitationPage = (frame: FrameParts, content: InvitationPageContent): string => {
  const texts = GUEST_TEXTS[frame.language];
  const { problem } = content;
  const problemAt = problemTexts(problem, texts);
  const title = texts.invitationTitle(content.owner);
  const { passkey } = content;
  return guestPage(frame, {
    title,
    body: `<h1>${escapeHtml(title)}</h1>
<p class="secondary">${escapeHtml(texts.invitationText(content.owner, frame.host))}</p>
${sharedContent(content, frame.language)}
<form method="post" action="${escapeHtml(content.action)}">
${formProblem(problemAt('form'))}
${field({
  name: 'name',
  label: texts.name,
  type: 'text',
  autocomplete: 'username',
  value: content.name,
  hint: texts.nameHint,
  problem: problemAt('name'),
})}
${passkey === undefined ? `<p class="hint">${texts.passkeysUnavailable}</p>` : passkeyButton(passkey, { label: texts.acceptWithPasskey, hint: texts.acceptWithPasskeyHint, fieldsAt: 'below' }, texts)}
${newPasswordFields({ name: 'password', label: texts.password, problem: problemAt('password'), repeatProblem: problemAt('repeat') }, texts)}
<button>${texts.accept}</button>
</form>
<p class="secondary">${escapeHtml(texts.invitationUntil(timeText(content.expires, frame.language)))}</p>`,
  });
};

export const endedInvitationPage = (
  frame: FrameParts,
  reason: 'unknown' | 'expired' | 'revoked' | 'accepted',
): string => {
  const texts = GUEST_TEXTS[frame.language];
  const signIn = `<p><a class="button" href="${GUEST_PATH}/sign-in">${texts.signIn}</a></p>`;
  return messagePage(frame, texts[`${reason}Title`], texts[reason], reason === 'accepted' ? signIn : '');
};

export const SIGN_IN_NOTICES = ['signedOut', 'signedOutEverywhere', 'created', 'changed', 'left', 'ended'] as const;
export type SignInNotice = (typeof SIGN_IN_NOTICES)[number];

const passkeyForm = (passkey: PageCeremony, texts: GuestTexts): string =>
  `<form method="post" action="${GUEST_PATH}/sign-in/passkey">${passkeyButton(passkey, { label: texts.signInWithPasskey, fieldsAt: 'above' }, texts)}</form>`;

const SIGN_IN_PROBLEMS = {
  wrong: 'wrongCredentials',
  owner: 'ownerAccount',
  untrustedAddress: 'untrustedAddress',
  foreign: 'foreignForm',
  passkey: 'wrongSignInPasskey',
} as const;
type SignInProblem = keyof typeof SIGN_IN_PROBLEMS | 'wait';

const signInProblem = (problem: SignInProblem, waitSeconds: number | undefined, texts: GuestTexts): string =>
  problem === 'wait' ? texts.signInWait(waitSeconds ?? 1) : texts[SIGN_IN_PROBLEMS[problem]];

export const signInPage = (
  frame: FrameParts,
  content: {
    name?: string;
    problem?: SignInProblem;
    waitSeconds?: number;
    notice?: SignInNotice | undefined;
    /** Undefined if passkeys do not work at this address. */
    passkey: PageCeremony | undefined;
  },
): string => {
  const texts = GUEST_TEXTS[frame.language];
  const { name, problem, waitSeconds, notice, passkey } = content;
  return guestPage(frame, {
    title: texts.signInTitle,
    body: `<h1>${texts.signInTitle}</h1><p class="secondary">${escapeHtml(texts.signInText(frame.host))}</p>
${notice === undefined ? '' : `<p class="notice" role="status">${texts[notice]}</p>`}
<form method="post" action="${GUEST_PATH}/sign-in">
${formProblem(problem === undefined ? undefined : signInProblem(problem, waitSeconds, texts))}
${field({ name: 'name', label: texts.name, type: 'text', autocomplete: 'username', value: name ?? '', autofocus: name === undefined })}
${field({
  name: 'password',
  label: texts.password,
  type: 'password',
  autocomplete: 'current-password',
  autofocus: name !== undefined,
})}
<button>${texts.signIn}</button>
</form>
${passkey === undefined ? '' : passkeyForm(passkey, texts)}`,
  });
};
