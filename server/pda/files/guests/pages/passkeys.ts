import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import type { Language } from '../../../../wire/language.ts';
import { MAX_PASSKEY_NAME_CHARS } from '../../../../wire/limits.ts';
import { timeText } from '../../page-format.ts';
import {
  field,
  formProblem,
  csrfTokenField,
  guestPage,
  messagePage,
  type FrameParts,
  type PageGuest,
} from './frame.ts';
import { GUEST_TEXTS, type GuestTexts } from './texts.ts';

/** Registration (`create`) or use (`get`) of a passkey. A script passes the options to the browser. */
export type PageCeremony = { kind: 'create' | 'get'; options: object };

export type Confirmation =
  | { kind: 'password' }
  /** `ceremony` is undefined if passkeys do not work at this address. */
  | { kind: 'passkey'; ceremony: PageCeremony | undefined };

/** Times are Unix milliseconds. */
export type PagePasskey = {
  id: string;
  name: string;
  created: number;
  lastUsed: number | null;
  /** Host at which the passkey works. */
  address: string;
  /** True if the passkey works at the address of the request. */
  isUsable: boolean;
};

export type PasskeyProblem =
  | 'wrongPassword'
  | 'wrongPasskey'
  | 'passkeyRefused'
  | 'passkeyExists'
  | 'tooManyPasskeys'
  | 'wait'
  | 'untrustedAddress'
  | 'foreignForm';

/**
 * Returns a button that is hidden until the script has activated it.
 * @param parts.fieldsAt position of the fields that can be used instead of a passkey; undefined if there are none
 */
export const passkeyButton = (
  { kind, options }: PageCeremony,
  parts: { label: string; variant?: 'stop' | ''; hint?: string; fieldsAt?: 'above' | 'below' },
  texts: GuestTexts,
): string => {
  const { label, variant = '', hint, fieldsAt } = parts;
  const problemAttributes = [
    `data-cancelled="${escapeHtml(texts.passkeyCancelled)}"`,
    ...(kind === 'create' ? [`data-registered="${escapeHtml(texts.passkeyExists)}"`] : []),
  ];
  const divider = `<p class="divider">${texts.or}</p>`;
  return [
    `<div data-passkey="${kind}" data-options="${escapeHtml(JSON.stringify(options))}" ${problemAttributes.join(' ')} hidden>`,
    ...(fieldsAt === 'above' ? [divider] : []),
    '<input type="hidden" name="passkey">',
    `<button type="button"${variant === '' ? '' : ` class="${variant}"`}>${label}</button>`,
    ...(hint === undefined ? [] : [`<p class="hint">${hint}</p>`]),
    '<p class="problem" role="alert"></p>',
    ...(fieldsAt === 'below' ? [divider] : []),
    '</div>',
  ].join('\n');
};

const noPasskeysNotice = (text: string): string => `<p class="notice" data-without-passkeys>${text}</p>`;

export const confirmationParts = (
  confirmation: Confirmation,
  parts: { fieldName: string; label: string; variant?: 'stop' | ''; problem: string | undefined },
  texts: GuestTexts,
): { field: string; button: string } => {
  const { label, variant = '', problem } = parts;
  if (confirmation.kind === 'password')
    return {
      field: field({
        name: parts.fieldName,
        label: texts.currentPassword,
        type: 'password',
        autocomplete: 'current-password',
        problem,
      }),
      button: `<button${variant === '' ? '' : ` class="${variant}"`}>${label}</button>`,
    };
  const { ceremony } = confirmation;
  return {
    field: formProblem(problem),
    button:
      ceremony === undefined
        ? `<p class="notice">${texts.passkeysUnavailable}</p>`
        : `${noPasskeysNotice(texts.passkeyNeedsScript)}\n${passkeyButton(ceremony, { label, variant, hint: texts.confirmWithPasskey }, texts)}`,
  };
};

const passkeyRow = (passkey: PagePasskey, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const { id, name, created, lastUsed, address, isUsable } = passkey;
  const facts = [
    texts.passkeyAdded(timeText(created, language)),
    lastUsed === null ? texts.neverUsed : texts.lastUsed(timeText(lastUsed, language)),
    ...(isUsable ? [] : [texts.passkeyOf(address)]),
  ];
  return `<li><span><bdi>${escapeHtml(name)}</bdi>${facts.map((fact) => `<small>${escapeHtml(fact)}</small>`).join('')}</span>
<span class="actions"><a href="${GUEST_PATH}/passkeys/${escapeHtml(id)}/remove" aria-label="${escapeHtml(texts.removePasskeyOf(name))}">${texts.removePasskey}</a></span></li>`;
};

export const passkeySection = (
  content: { passkeys: readonly PagePasskey[]; canAdd: boolean; notice: string | undefined },
  language: Language,
): string => {
  const texts = GUEST_TEXTS[language];
  const { passkeys, canAdd, notice } = content;
  return `<section><h2>${texts.passkeysTitle}</h2><p class="secondary">${texts.passkeysText}</p>
${notice === undefined ? '' : `<p class="notice" role="status">${notice}</p>`}
${passkeys.length === 0 ? '' : `<ul>${passkeys.map((passkey) => passkeyRow(passkey, language)).join('')}</ul>`}
${canAdd ? `<p><a class="button" href="${GUEST_PATH}/passkeys/new">${texts.addPasskey}</a></p>` : `<p class="notice">${texts.passkeysUnavailable}</p>`}</section>`;
};

const backToAccount = (texts: GuestTexts): string =>
  `<p><a class="button" href="${GUEST_PATH}/account">${texts.backToAccount}</a></p>`;

const confirmationPage = (
  frame: FrameParts,
  parts: {
    guest: PageGuest;
    action: string;
    title: string;
    text: string;
    label: string;
    variant?: 'stop';
    confirmation: Confirmation;
    problem: PasskeyProblem | undefined;
  },
): string => {
  const texts = GUEST_TEXTS[frame.language];
  const { guest, title, text, problem, confirmation, label, variant = '' } = parts;
  const isPasswordProblem = problem === 'wrongPassword';
  const controls = confirmationParts(
    confirmation,
    { fieldName: 'password', label, variant, problem: isPasswordProblem ? texts.wrongPassword : undefined },
    texts,
  );
  return guestPage(
    { ...frame, guest, current: 'account' },
    {
      title,
      body: `<h1>${escapeHtml(title)}</h1><p class="secondary">${text}</p>
<form method="post" action="${escapeHtml(parts.action)}">${csrfTokenField(guest)}
${formProblem(problem === undefined || isPasswordProblem ? undefined : texts[problem])}
${controls.field}
${controls.button}
</form>
${backToAccount(texts)}`,
    },
  );
};

type ConfirmationContent = { guest: PageGuest; confirmation: Confirmation; problem?: PasskeyProblem | undefined };

export const addPasskeyPage = (frame: FrameParts, { guest, confirmation, problem }: ConfirmationContent): string => {
  const texts = GUEST_TEXTS[frame.language];
  return confirmationPage(frame, {
    guest,
    confirmation,
    problem,
    action: `${GUEST_PATH}/passkeys/new`,
    title: texts.addPasskey,
    text: texts.addPasskeyText,
    label: texts.next,
  });
};

export const createPasskeyPage = (
  frame: FrameParts,
  { guest, ceremony, name }: { guest: PageGuest; ceremony: PageCeremony; name: string },
): string => {
  const texts = GUEST_TEXTS[frame.language];
  return guestPage(
    { ...frame, guest, current: 'account' },
    {
      title: texts.addPasskey,
      body: `<h1>${texts.addPasskey}</h1><p class="secondary">${texts.createPasskeyText}</p>
<form method="post" action="${GUEST_PATH}/passkeys">${csrfTokenField(guest)}
${field({ name: 'passkeyName', label: texts.passkeyName, type: 'text', autocomplete: 'off', value: name, maxLength: MAX_PASSKEY_NAME_CHARS })}
${noPasskeysNotice(texts.passkeyNeedsScript)}
${passkeyButton(ceremony, { label: texts.createPasskey }, texts)}
</form>
${backToAccount(texts)}`,
    },
  );
};

export const removePasskeyPage = (
  frame: FrameParts,
  { guest, confirmation, problem, passkey }: ConfirmationContent & { passkey: { id: string; name: string } },
): string => {
  const texts = GUEST_TEXTS[frame.language];
  return confirmationPage(frame, {
    guest,
    confirmation,
    problem,
    action: `${GUEST_PATH}/passkeys/${passkey.id}/remove`,
    title: texts.removePasskeyTitle(passkey.name),
    text: texts.removePasskeyText,
    label: texts.removePasskey,
    variant: 'stop',
  });
};

export const passkeyRefusalPage = (
  frame: FrameParts,
  reason: 'lastPasskey' | 'unknownPasskey' | 'passkeysUnavailable' | 'tooManyPasskeys',
): string => {
  const texts = GUEST_TEXTS[frame.language];
  return messagePage({ ...frame, current: 'account' }, texts[`${reason}Title`], texts[reason], backToAccount(texts));
};
