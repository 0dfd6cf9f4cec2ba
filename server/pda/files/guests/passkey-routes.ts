import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import { Failure } from '../../../platform/failure.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { passkeyNameSchema, passkeyRegistrationSchema } from '../../../wire/passkeys.ts';
import type { Guest, GuestAccounts } from './account.ts';
import { attemptProblemOf, statusOfForm } from './entry-problems.ts';
import {
  formBody,
  pageRoute,
  readForm,
  redirect,
  SIGN_IN_REDIRECT,
  type GuestPages,
  type GuestRequest,
} from './page-response.ts';
import { browserNameOf } from './pages/account.ts';
import {
  addPasskeyPage,
  createPasskeyPage,
  passkeyRefusalPage,
  removePasskeyPage,
  type PageCeremony,
  type PagePasskey,
  type PasskeyProblem,
} from './pages/passkeys.ts';
import { GUEST_TEXTS } from './pages/texts.ts';
import { parsePasskey } from './passkey-forms.ts';
import { proofOf, type GuestPasskeys } from './passkeys.ts';

const ACCOUNT_PATH = `${GUEST_PATH}/account`;
const PASSKEYS_PATH = `${GUEST_PATH}/passkeys`;

const passkeyParams = z.strictObject({ passkeyId: z.uuid() });

const CONFIRMATION_PAGES = {
  403: describeHtmlPage(
    'HTML page: the password or passkey is wrong, signing in is not allowed at this address, or the form was sent by another page',
  ),
  429: describeHtmlPage('HTML page: too many attempts'),
};
const CANNOT_ADD_PAGE = describeHtmlPage(
  'HTML page: passkeys do not work at this address, or the guest has the maximum number of passkeys',
);
const UNKNOWN_PASSKEY_PAGE = describeHtmlPage('HTML page: the guest has no such passkey');
const LAST_PASSKEY_PAGE = describeHtmlPage(
  'HTML page: without this passkey, the guest could no longer sign in at this address',
);

const additionProblemOf = ({ code }: Failure): PasskeyProblem | undefined => {
  if (code === 'already_exists') return 'passkeyExists';
  return code === 'invalid_input' || code === 'wrong_state' || code === 'not_found' ? 'passkeyRefused' : undefined;
};

export const guestPasskeyRoutes = (parts: {
  accounts: Pick<GuestAccounts, 'confirmationMethodOf'>;
  guestPasskeys: GuestPasskeys;
  pages: GuestPages;
}) => {
  const { accounts, guestPasskeys, pages } = parts;

  const frameOf = ({ guest, caller, headers }: GuestRequest) => ({
    ...pages.frameOf(caller, headers, guest),
    hasPasskeyScript: guestPasskeys.areAvailableAt(caller),
  });

  const respond = (request: GuestRequest, status: number, html: string): RouteResponse =>
    pages.respond(status, request.headers, html, { hasPasskeyScript: guestPasskeys.areAvailableAt(request.caller) });

  const wrongProofProblem = (guest: Guest): PasskeyProblem =>
    accounts.confirmationMethodOf(guest) === 'password' ? 'wrongPassword' : 'wrongPasskey';

  const addResponse = (request: GuestRequest, problem?: PasskeyProblem): RouteResponse => {
    const { guest, caller } = request;
    if (!guestPasskeys.areAvailableAt(caller))
      return respond(request, 409, passkeyRefusalPage(frameOf(request), 'passkeysUnavailable'));
    if (guestPasskeys.hasMaxPasskeys(guest))
      return respond(request, 409, passkeyRefusalPage(frameOf(request), 'tooManyPasskeys'));
    const confirmation = guestPasskeys.confirmation(guest, 'passkey-added', caller);
    const html = addPasskeyPage(frameOf(request), { guest: pages.toPageGuest(guest), confirmation, problem });
    return respond(request, statusOfForm(problem), html);
  };

  const createResponse = (request: GuestRequest, ceremony: PageCeremony): RouteResponse => {
    const { guest, caller } = request;
    const frame = frameOf(request);
    const name = browserNameOf(caller.userAgent, frame.language) ?? GUEST_TEXTS[frame.language].defaultPasskeyName;
    return respond(request, 200, createPasskeyPage(frame, { guest: pages.toPageGuest(guest), ceremony, name }));
  };

  const removeResponse = (request: GuestRequest, passkey: PagePasskey, problem?: PasskeyProblem): RouteResponse => {
    const { guest, caller } = request;
    const confirmation = guestPasskeys.confirmation(guest, 'passkey-removed', caller);
    const content = { guest: pages.toPageGuest(guest), confirmation, problem, passkey };
    return respond(request, statusOfForm(problem), removePasskeyPage(frameOf(request), content));
  };

  const withRemovablePasskey = (
    request: GuestRequest,
    passkeyId: string,
    work: (passkey: PagePasskey) => RouteResponse | Promise<RouteResponse>,
  ): RouteResponse | Promise<RouteResponse> => {
    const { guest, caller } = request;
    const passkey = guestPasskeys.list(guest, caller).find(({ id }) => id === passkeyId);
    if (passkey === undefined) return respond(request, 404, passkeyRefusalPage(frameOf(request), 'unknownPasskey'));
    if (guestPasskeys.isLast(guest, passkeyId, caller))
      return respond(request, 409, passkeyRefusalPage(frameOf(request), 'lastPasskey'));
    return work(passkey);
  };

  const tryForm = async (
    work: () => Promise<RouteResponse>,
    refuse: (problem: PasskeyProblem) => RouteResponse,
    problemOf: (failure: Failure) => PasskeyProblem | undefined,
  ): Promise<RouteResponse> => {
    try {
      return await work();
    } catch (error) {
      const problem = error instanceof Failure ? problemOf(error) : undefined;
      if (problem === undefined) throw error;
      return refuse(problem);
    }
  };

  return [
    pageRoute({
      method: 'GET',
      path: `${PASSKEYS_PATH}/new`,
      summary: 'Show the confirmation page for adding a passkey',
      responses: {
        200: describeHtmlPage('HTML page'),
        303: SIGN_IN_REDIRECT,
        409: CANNOT_ADD_PAGE,
      },
      handler: ({ headers, caller }) => pages.withGuest(caller, (guest) => addResponse({ guest, caller, headers })),
    }),
    pageRoute({
      method: 'POST',
      path: `${PASSKEYS_PATH}/new`,
      summary: 'Start adding a passkey for a guest',
      description:
        'Needs the password or, for a guest without a password, a passkey. Responds with the page that creates the new passkey.',
      body: formBody,
      responses: {
        200: describeHtmlPage('HTML page with the challenge for the new passkey'),
        303: SIGN_IN_REDIRECT,
        ...CONFIRMATION_PAGES,
        409: CANNOT_ADD_PAGE,
      },
      handler: ({ headers, body, caller }) =>
        pages.withGuest(caller, async (guest) => {
          const form = await readForm(body);
          const request = { guest, caller, headers };
          const refuse = (problem: PasskeyProblem): RouteResponse => addResponse(request, problem);
          if (!pages.isOwnForm(guest, form, caller, headers)) return refuse('foreignForm');
          if (!guestPasskeys.areAvailableAt(caller) || guestPasskeys.hasMaxPasskeys(guest)) return addResponse(request);
          return tryForm(
            async () => {
              const ceremony = await guestPasskeys.startAdding(guest, proofOf(form), caller);
              return ceremony === undefined ? refuse(wrongProofProblem(guest)) : createResponse(request, ceremony);
            },
            refuse,
            attemptProblemOf,
          );
        }),
    }),
    pageRoute({
      method: 'POST',
      path: PASSKEYS_PATH,
      summary: 'Add a passkey for a guest',
      description: 'The challenge is on the page that `POST /guest/passkeys/new` responds with.',
      body: formBody,
      responses: {
        303: { description: '`Location` is the account page after the addition, or the sign-in page' },
        400: describeHtmlPage('HTML page: the passkey or its name was not accepted'),
        403: describeHtmlPage('HTML page: the form was sent by another page'),
        409: describeHtmlPage(
          'HTML page: the passkey already exists, passkeys do not work at this address, or the guest has the maximum number of passkeys',
        ),
      },
      handler: ({ headers, body, caller }) =>
        pages.withGuest(caller, async (guest) => {
          const form = await readForm(body);
          // A failed attempt starts again with the confirmation, after which a challenge for a new passkey is issued.
          const refuse = (problem: PasskeyProblem): RouteResponse => addResponse({ guest, caller, headers }, problem);
          if (!pages.isOwnForm(guest, form, caller, headers)) return refuse('foreignForm');
          const registration = parsePasskey(form, passkeyRegistrationSchema);
          const name = passkeyNameSchema.safeParse(form.get('passkeyName'));
          if (registration === undefined || !name.success) return refuse('passkeyRefused');
          return tryForm(
            async () => {
              await guestPasskeys.add(guest, registration, name.data, caller);
              return redirect(`${ACCOUNT_PATH}?saved=passkeySaved`);
            },
            refuse,
            additionProblemOf,
          );
        }),
    }),
    pageRoute({
      method: 'GET',
      path: `${PASSKEYS_PATH}/:passkeyId/remove`,
      summary: 'Show the confirmation page for removing a passkey',
      params: passkeyParams,
      responses: {
        200: describeHtmlPage('HTML page'),
        303: SIGN_IN_REDIRECT,
        404: UNKNOWN_PASSKEY_PAGE,
        409: LAST_PASSKEY_PAGE,
      },
      handler: ({ params: { passkeyId }, headers, caller }) =>
        pages.withGuest(caller, (guest) => {
          const request = { guest, caller, headers };
          return withRemovablePasskey(request, passkeyId, (passkey) => removeResponse(request, passkey));
        }),
    }),
    pageRoute({
      method: 'POST',
      path: `${PASSKEYS_PATH}/:passkeyId/remove`,
      summary: "Remove a guest's passkey",
      description:
        "Needs the password or, for a guest without a password, a passkey. The guest's last way to sign in at this address cannot be removed.",
      params: passkeyParams,
      body: formBody,
      responses: {
        303: { description: '`Location` is the account page after the removal, or the sign-in page' },
        404: UNKNOWN_PASSKEY_PAGE,
        ...CONFIRMATION_PAGES,
        409: LAST_PASSKEY_PAGE,
      },
      handler: ({ params: { passkeyId }, headers, body, caller }) =>
        pages.withGuest(caller, async (guest) => {
          const form = await readForm(body);
          const request = { guest, caller, headers };
          const submit = (passkey: PagePasskey): Promise<RouteResponse> | RouteResponse => {
            const refuse = (problem: PasskeyProblem): RouteResponse => removeResponse(request, passkey, problem);
            if (!pages.isOwnForm(guest, form, caller, headers)) return refuse('foreignForm');
            return tryForm(
              async () =>
                (await guestPasskeys.remove(guest, passkeyId, proofOf(form), caller))
                  ? redirect(`${ACCOUNT_PATH}?saved=passkeyRemoved`)
                  : refuse(wrongProofProblem(guest)),
              refuse,
              attemptProblemOf,
            );
          };
          try {
            return await withRemovablePasskey(request, passkeyId, submit);
          } catch (error) {
            // Another request has removed this passkey or the other ways to sign in.
            if (!(error instanceof Failure && (error.code === 'not_found' || error.code === 'wrong_state')))
              throw error;
            return withRemovablePasskey(request, passkeyId, (passkey) => removeResponse(request, passkey));
          }
        }),
    }),
  ] as const;
};
