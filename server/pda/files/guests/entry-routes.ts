import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import type { Caller, RouteResponse } from '../../../platform/http/route.ts';
import { invitationTokenSchema } from '../../../wire/invitations.ts';
import { GUEST_PATH, INVITATION_PATH } from '../../../wire/guest-paths.ts';
import { assertionSchema } from '../../../wire/passkeys.ts';
import { createAcceptanceResponses } from './acceptance.ts';
import type { GuestAccounts } from './account.ts';
import type { FoundInvitation, InvitationService } from './invitations.ts';
import {
  formBody,
  pageRoute,
  passwordOf,
  readForm,
  redirect,
  signInPath,
  type GuestPages,
  type PageHeaders,
} from './page-response.ts';
import { endedInvitationPage, SIGN_IN_NOTICES, signInPage } from './pages/entry.ts';
import { endedPasswordLinkPage } from './pages/password-link.ts';
import { parsePasskey } from './passkey-forms.ts';
import type { GuestPasskeys } from './passkeys.ts';
import { createPasswordLinkResponses } from './password-link.ts';
import { expiredGuestCookie } from './rules.ts';

const INVITATION_PAGE_PATH = `${INVITATION_PATH}/:token`;
const SIGN_IN_PATH = `${GUEST_PATH}/sign-in`;

const pageParams = z.strictObject({ token: invitationTokenSchema });
const signInQuery = z.object({ notice: z.string().max(50).optional() });

const ENDED_PAGES = {
  404: describeHtmlPage('HTML page: there is no such invitation'),
  410: describeHtmlPage('HTML page: the invitation has expired, was revoked or was accepted'),
};
const FORM_ERROR_PAGES = {
  403: describeHtmlPage('HTML page: signing in is not allowed at this address, or the form was sent by another page'),
  429: describeHtmlPage('HTML page: too many attempts'),
};

const SIGN_IN_STATUS = { wrong: 401, owner: 401, untrustedAddress: 403, wait: 429 } as const;

export const guestEntryRoutes = (parts: {
  invitations: InvitationService;
  accounts: GuestAccounts;
  guestPasskeys: GuestPasskeys;
  pages: GuestPages;
  ownerName: () => string;
  baseOf: (host: string) => string;
}) => {
  const { invitations, accounts, guestPasskeys, pages, ownerName, baseOf } = parts;
  const acceptances = createAcceptanceResponses({ invitations, accounts, guestPasskeys, pages, ownerName });
  const passwordLinks = createPasswordLinkResponses({ invitations, accounts, pages, ownerName });

  /** `open`: the clock was set back after the invitation had expired; the link is then described as unknown. */
  const endedResponse = (
    invitation: FoundInvitation | undefined,
    caller: Caller,
    headers: PageHeaders,
  ): RouteResponse => {
    const frame = pages.frameOf(caller, headers);
    if (invitation === undefined || invitation.state === 'open')
      return pages.respond(404, headers, endedInvitationPage(frame, 'unknown'));
    const page =
      invitation.row.password_of === null
        ? endedInvitationPage(frame, invitation.state)
        : endedPasswordLinkPage(frame, invitation.state);
    return pages.respond(410, headers, page);
  };

  const findOpenInvitation = (
    token: string,
    caller: Caller,
    headers: PageHeaders,
  ): { row: FoundInvitation['row'] } | { response: RouteResponse } => {
    const invitation = invitations.find(token);
    return invitation?.state === 'open'
      ? { row: invitation.row }
      : { response: endedResponse(invitation, caller, headers) };
  };

  const signInResponse = (
    status: number,
    caller: Caller,
    headers: PageHeaders,
    content: Omit<Parameters<typeof signInPage>[1], 'passkey'>,
  ): RouteResponse => {
    const passkey = guestPasskeys.signInCeremony(caller);
    const hasPasskeyScript = passkey !== undefined;
    const html = signInPage({ ...pages.frameOf(caller, headers), hasPasskeyScript }, { ...content, passkey });
    return pages.respond(status, headers, html, { hasPasskeyScript, retryAfter: content.waitSeconds });
  };

  return [
    pageRoute({
      method: 'GET',
      path: INVITATION_PAGE_PATH,
      summary: 'Show the page of an invitation',
      description:
        'Asks for a name and a password or passkey; the page of a password link asks for a new password. Opening the page does not use up the invitation.',
      params: pageParams,
      responses: { 200: describeHtmlPage('HTML page'), ...ENDED_PAGES },
      handler: ({ params: { token }, headers, caller }) => {
        const findResult = findOpenInvitation(token, caller, headers);
        if ('response' in findResult) return findResult.response;
        const { row } = findResult;
        const user = invitations.passwordUserOf(row);
        if (user !== undefined) return passwordLinks.respond({ row, token, user }, caller, headers);
        return acceptances.respond({ row, token, name: row.name }, caller, headers);
      },
    }),
    pageRoute({
      method: 'POST',
      path: INVITATION_PAGE_PATH,
      summary: 'Accept an invitation',
      description:
        'Sent by the form on the page. Creates the user or sets their new password, ends the invitation and signs the user in.',
      params: pageParams,
      body: formBody,
      responses: {
        303: {
          description:
            'Accepted; `Location` is the page of the guest, and `Set-Cookie` has their token, or `Location` is the sign-in page',
        },
        400: describeHtmlPage('HTML page: the name, password or passkey cannot be used, or the two passwords differ'),
        ...FORM_ERROR_PAGES,
        ...ENDED_PAGES,
      },
      handler: async ({ params: { token }, headers, body, caller }) => {
        const findResult = findOpenInvitation(token, caller, headers);
        if ('response' in findResult) return findResult.response;
        const { row } = findResult;
        const form = await readForm(body);
        const user = invitations.passwordUserOf(row);
        const response =
          user === undefined
            ? await acceptances.submit({ row, token }, form, caller, headers)
            : await passwordLinks.submit({ row, token, user }, form, caller, headers);
        return response ?? endedResponse(invitations.find(token), caller, headers);
      },
    }),
    pageRoute({
      method: 'GET',
      path: SIGN_IN_PATH,
      summary: 'Show the sign-in page for guests',
      query: signInQuery,
      responses: { 200: describeHtmlPage('HTML page') },
      handler: ({ query, headers, caller }) => {
        const notice = SIGN_IN_NOTICES.find((candidate) => candidate === query.notice);
        return signInResponse(200, caller, headers, { notice });
      },
    }),
    pageRoute({
      method: 'POST',
      path: SIGN_IN_PATH,
      summary: 'Sign in as a guest',
      description: 'Sent by the form on the page. Only users can sign in here.',
      body: formBody,
      responses: {
        303: { description: 'Signed in; `Location` is the page of the guest, `Set-Cookie` has their token' },
        401: describeHtmlPage("HTML page: name or password is wrong, or the account is the owner's"),
        ...FORM_ERROR_PAGES,
      },
      handler: async ({ headers, body, caller }) => {
        const form = await readForm(body);
        const name = (form.get('name') ?? '').slice(0, 200);
        const refuse = (status: 401 | 403, problem: 'wrong' | 'foreign') =>
          signInResponse(status, caller, headers, { name, problem });
        if (!pages.isFromOwnPage(caller, headers)) return refuse(403, 'foreign');
        const password = passwordOf(form, 'password');
        // An incomplete form does not count as an attempt.
        if (name === '' || password === '') return refuse(401, 'wrong');
        const signInResult = await accounts.signIn(name, password, caller);
        if ('cookie' in signInResult) return redirect(GUEST_PATH, signInResult.cookie);
        return signInResponse(SIGN_IN_STATUS[signInResult.problem], caller, headers, { name, ...signInResult });
      },
    }),
    pageRoute({
      method: 'POST',
      path: `${SIGN_IN_PATH}/passkey`,
      summary: 'Sign in as a guest with a passkey',
      description: 'Sent by the form on the sign-in page. The passkey identifies the guest.',
      body: formBody,
      responses: {
        303: { description: 'Signed in; `Location` is the page of the guest, `Set-Cookie` has their token' },
        401: describeHtmlPage('HTML page: the passkey was not accepted'),
        ...FORM_ERROR_PAGES,
      },
      handler: async ({ headers, body, caller }) => {
        const form = await readForm(body);
        if (!pages.isFromOwnPage(caller, headers)) return signInResponse(403, caller, headers, { problem: 'foreign' });
        const assertion = parsePasskey(form, assertionSchema);
        if (assertion === undefined) return signInResponse(401, caller, headers, { problem: 'passkey' });
        const signInResult = await accounts.signInWithPasskey(assertion, caller);
        if ('cookie' in signInResult) return redirect(GUEST_PATH, signInResult.cookie);
        const { problem } = signInResult;
        const isPasskeyWrong = problem === 'wrong' || problem === 'owner';
        return signInResponse(SIGN_IN_STATUS[problem], caller, headers, {
          ...signInResult,
          problem: isPasskeyWrong ? 'passkey' : problem,
        });
      },
    }),
    pageRoute({
      method: 'POST',
      path: `${GUEST_PATH}/sign-out`,
      summary: 'Sign out as a guest',
      body: formBody,
      responses: {
        303: { description: '`Location` is the sign-in page, or the page of the guest if another page sent the form' },
      },
      handler: ({ headers, body, caller }) =>
        pages.withGuest(caller, async (guest) => {
          if (!pages.isOwnForm(guest, await readForm(body), caller, headers)) return redirect(GUEST_PATH);
          await accounts.signOut(guest, caller);
          return redirect(signInPath('signedOut'), expiredGuestCookie(baseOf(caller.host)));
        }),
    }),
  ] as const;
};
