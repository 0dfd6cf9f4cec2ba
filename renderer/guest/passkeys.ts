import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';

/*
 * The only script of the guest pages (docs/adr/0039). In a browser with passkeys, it shows the passkey buttons and
 * hides the texts for other browsers. A button asks the browser for a passkey and submits the response with its form.
 * Without this script, the pages work with passwords.
 */

type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];
type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** Asks the browser for a new passkey. @param userName account name shown by browsers; if empty, the options' name */
async function createPasskey(options: CreationOptions, userName: string): Promise<object> {
  const user = userName === '' ? options.user : { ...options.user, name: userName, displayName: userName };
  const { id, response } = await startRegistration({ optionsJSON: { ...options, user } });
  return { id, clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject };
}

/** Asks the browser for an assertion of an existing passkey. */
async function requestAssertion(options: RequestOptions): Promise<object> {
  const { id, response } = await startAuthentication({ optionsJSON: options });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { id, clientDataJSON, authenticatorData, signature };
}

/** Returns the error text of a failed WebAuthn ceremony. Browsers reveal little about the cause. */
function problemOf(error: unknown, { cancelled = '', registered = '' }: DOMStringMap): string {
  const isRegistered =
    error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' && registered !== '';
  return isRegistered ? registered : cancelled;
}

/**
 * Shows a passkey button and handles its clicks. `data-passkey` is `create` or `get`; `data-options` contains the
 * WebAuthn options.
 */
function activate(block: HTMLElement): void {
  const form = block.closest('form');
  const button = block.querySelector('button');
  const responseField = block.querySelector('input');
  const problem = block.querySelector('p[role=alert]');
  if (form === null || button === null || responseField === null || problem === null) return;
  const isNew = block.dataset['passkey'] === 'create';
  const nameField = form.querySelector<HTMLInputElement>('input[name=name]');

  const complete = async (): Promise<void> => {
    // A new passkey may be an alternative to the passwords of the form, which then stay empty.
    const fields = form.querySelectorAll<HTMLInputElement>(isNew ? 'input[type=text]' : 'input');
    if (![...fields].every((field) => field.reportValidity())) return;
    button.disabled = true;
    problem.textContent = '';
    try {
      const options: unknown = JSON.parse(block.dataset['options'] ?? '');
      responseField.value = JSON.stringify(
        isNew
          ? await createPasskey(options as CreationOptions, nameField?.value.trim() ?? '')
          : await requestAssertion(options as RequestOptions),
      );
      form.submit();
    } catch (error) {
      problem.textContent = problemOf(error, block.dataset);
      button.disabled = false;
    }
  };
  // The browser may restore the page with its disabled button when the guest returns to it.
  addEventListener('pageshow', () => {
    button.disabled = false;
  });
  button.addEventListener('click', () => void complete());
  block.hidden = false;
}

if (browserSupportsWebAuthn()) {
  for (const block of document.querySelectorAll<HTMLElement>('[data-passkey]')) activate(block);
  for (const text of document.querySelectorAll<HTMLElement>('[data-without-passkeys]')) text.hidden = true;
}
