import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Caller, RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { newPasswordProblem, passwordProblemOf, statusOfForm } from './entry-problems.ts';
import type { Guest, GuestAccounts } from './account.ts';
import {
  formBody,
  pageRoute,
  passwordOf,
  readForm,
  redirect,
  SIGN_IN_REDIRECT,
  signInPath,
  type GuestPages,
  type PageHeaders,
} from './page-response.ts';
import { ACCOUNT_NOTICES, accountPage, type AccountNotice, type AccountProblem } from './pages/account.ts';
import { proofOf, type GuestPasskeys } from './passkeys.ts';
import { expiredGuestCookie } from './rules.ts';

const ACCOUNT_PATH = `${GUEST_PATH}/account`;

const sessionParams = z.strictObject({ sessionId: z.uuid() });
const accountQuery = z.object({ saved: z.string().max(20).optional() });

const FOREIGN_FORM_PAGE = describeHtmlPage('HTML page: the form was sent by another page');
const CONFIRMATION_PAGES = {
  403: describeHtmlPage(
    'HTML page: the password or passkey is wrong, signing in is not allowed at this address, or the form was sent by another page',
  ),
  429: describeHtmlPage('HTML page: too many attempts'),
};

export const guestAccountRoutes = (parts: {
  accounts: GuestAccounts;
  guestPasskeys: GuestPasskeys;
  pages: GuestPages;
  ownerName: () => string;
  baseOf: (host: string) => string;
}) => {
  const { accounts, guestPasskeys, pages, ownerName, baseOf } = parts;

  const accountResponse = (
    guest: Guest,
    caller: Caller,
    headers: PageHeaders,
    { problem, saved }: { problem?: AccountProblem; saved?: AccountNotice | undefined } = {},
  ): RouteResponse => {
    const arePasskeysAvailable = guestPasskeys.areAvailableAt(caller);
    return pages.respond(
      statusOfForm(problem?.text),
      headers,
      accountPage(
        { ...pages.frameOf(caller, headers), hasPasskeyScript: arePasskeysAvailable },
        {
          guest: pages.toPageGuest(guest),
          owner: ownerName(),
          sessions: accounts.sessions(guest),
          passkeys: guestPasskeys.list(guest, caller),
          canAddPasskey: arePasskeysAvailable,
          confirmations: {
            password: guestPasskeys.confirmation(guest, 'password-change', caller),
            leave: guestPasskeys.confirmation(guest, 'guest-left', caller),
          },
          saved,
          ...(problem === undefined ? {} : { problem }),
        },
      ),
      { hasPasskeyScript: arePasskeysAvailable },
    );
  };

  const redirectToSignIn = (notice: 'signedOutEverywhere' | 'changed' | 'left', caller: Caller): RouteResponse =>
    redirect(signInPath(notice), expiredGuestCookie(baseOf(caller.host)));

  const withForm = (
    { body, caller, headers }: { body: Parameters<typeof readForm>[0]; caller: Caller; headers: PageHeaders },
    work: (
      guest: Guest,
      form: URLSearchParams,
      refuse: (problem: AccountProblem) => RouteResponse,
    ) => Promise<RouteResponse>,
  ): Promise<RouteResponse> =>
    pages.withGuest(caller, async (guest) => {
      const form = await readForm(body);
      const refuse = (problem: AccountProblem): RouteResponse => accountResponse(guest, caller, headers, { problem });
      if (!pages.isOwnForm(guest, form, caller, headers)) return refuse({ form: 'page', text: 'foreignForm' });
      try {
        return await work(guest, form, refuse);
      } catch (error) {
        // The account was deleted in the meantime, for example because the form was sent twice.
        if (error instanceof Failure && error.code === 'not_found') return redirectToSignIn('left', caller);
        throw error;
      }
    });

  const tryChange = async (
    { guest, caller }: { guest: Guest; caller: Caller },
    form: 'password' | 'leave',
    refuse: (problem: AccountProblem) => RouteResponse,
    change: () => Promise<boolean>,
    onSuccess: () => RouteResponse | Promise<RouteResponse>,
  ): Promise<RouteResponse> => {
    try {
      const confirmsWithPassword = accounts.confirmationMethodOf(guest) === 'password';
      if (!(await change())) {
        // A change of the password in the meantime ended the session, for example because the form was sent twice.
        if ((await accounts.find(caller)) === undefined) return redirect(ACCOUNT_PATH);
        return refuse({ form, text: confirmsWithPassword ? 'wrongPassword' : 'wrongPasskey' });
      }
    } catch (error) {
      const text = error instanceof Failure ? passwordProblemOf(error) : undefined;
      if (text === undefined) throw error;
      return refuse({ form, text });
    }
    return onSuccess();
  };

  return [
    pageRoute({
      method: 'GET',
      path: ACCOUNT_PATH,
      summary: "Show a guest's account page",
      query: accountQuery,
      responses: { 200: describeHtmlPage('HTML page'), 303: SIGN_IN_REDIRECT },
      handler: ({ query, headers, caller }) =>
        pages.withGuest(caller, (guest) =>
          accountResponse(guest, caller, headers, {
            saved: ACCOUNT_NOTICES.find((notice) => notice === query.saved),
          }),
        ),
    }),
    pageRoute({
      method: 'POST',
      path: `${GUEST_PATH}/sessions/end`,
      summary: 'Sign a guest out everywhere',
      body: formBody,
      responses: { 303: SIGN_IN_REDIRECT, 403: FOREIGN_FORM_PAGE },
      handler: (input) =>
        withForm(input, async (guest) => {
          await accounts.endAllSessions(guest, input.caller);
          return redirectToSignIn('signedOutEverywhere', input.caller);
        }),
    }),
    pageRoute({
      method: 'POST',
      path: `${GUEST_PATH}/sessions/:sessionId/end`,
      summary: "End one of a guest's sessions",
      description: 'Has no effect on sessions of other users.',
      params: sessionParams,
      body: formBody,
      responses: {
        303: { description: '`Location` is the account page, or the sign-in page' },
        403: FOREIGN_FORM_PAGE,
      },
      handler: (input) =>
        withForm(input, async (guest) => {
          await accounts.endSession(guest, input.params.sessionId, input.caller);
          return redirect(ACCOUNT_PATH);
        }),
    }),
    pageRoute({
      method: 'POST',
      path: `${GUEST_PATH}/password`,
      summary: "Set or change a guest's password",
      description:
        'Needs the current password or, for a guest without a password, a passkey. Ends all sessions of the guest and starts a new one.',
      body: formBody,
      responses: {
        303: { description: '`Location` is the account page after the change, or the sign-in page' },
        400: describeHtmlPage(
          'HTML page: the new password is missing, too long or too weak, or its two entries differ',
        ),
        ...CONFIRMATION_PAGES,
      },
      handler: (input) =>
        withForm(input, async (guest, form, refuse) => {
          const { caller } = input;
          const newPassword = passwordOf(form, 'newPassword');
          const problem = newPasswordProblem(newPassword, passwordOf(form, 'repeat'));
          if (problem !== undefined) return refuse({ form: 'password', text: problem });
          return tryChange(
            { guest, caller },
            'password',
            refuse,
            () => accounts.changePassword(guest, proofOf(form), newPassword, caller),
            async () => {
              const signInResult = await accounts.signIn(guest.name, newPassword, caller);
              return 'cookie' in signInResult
                ? redirect(`${ACCOUNT_PATH}?saved=password`, signInResult.cookie)
                : redirectToSignIn('changed', caller);
            },
          );
        }),
    }),
    pageRoute({
      method: 'POST',
      path: `${GUEST_PATH}/leave`,
      summary: "Delete a guest's account",
      description:
        'Needs the password or, for a guest without a password, a passkey. Nothing is shared with the guest afterwards.',
      body: formBody,
      responses: {
        303: { description: '`Location` is the sign-in page, after the deletion or if the guest is not signed in' },
        ...CONFIRMATION_PAGES,
      },
      handler: (input) =>
        withForm(input, (guest, form, refuse) =>
          tryChange(
            { guest, caller: input.caller },
            'leave',
            refuse,
            () => accounts.leave(guest, proofOf(form, 'leavePassword'), input.caller),
            () => redirectToSignIn('left', input.caller),
          ),
        ),
    }),
  ] as const;
};
