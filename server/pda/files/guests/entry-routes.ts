import { z } from 'zod';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { Failure } from '../../../platform/failure.ts';
import { route, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH, INVITATION_PATH, invitationTokenSchema } from '../../../wire/invitations.ts';
import { userNameSchema } from '../../../wire/users.ts';
import { newPasswordProblem, problemOf, STATUS_OF } from './entry-problems.ts';
import type { GuestAccounts } from './account.ts';
import type { FoundInvitation, InvitationService } from './invitations.ts';
import {
  formBody,
  htmlPage,
  PAGE_ERRORS,
  pageHeaders,
  passwordOf,
  readForm,
  redirect,
  redirectTo,
  signInPath,
  type GuestPages,
  type PageHeaders,
} from './page-response.ts';
import { endedInvitationPage, invitationPage, SIGN_IN_NOTICES, signInPage, type AcceptProblem } from './pages/entry.ts';
import { endedPasswordLinkPage } from './pages/password-link.ts';
import { createPasswordLinkResponses } from './password-link.ts';
import { expiredGuestCookie } from './rules.ts';

const TAG = 'Pages of guests';
const PAGE = `${INVITATION_PATH}/:token`;
const SIGN_IN = `${GUEST_PATH}/sign-in`;

const pageParams = z.strictObject({ token: invitationTokenSchema });
const signInQuery = z.object({ notice: z.string().max(50).optional() });

const ENDED_PAGES = {
  404: htmlPage('HTML page: there is no such invitation'),
  410: htmlPage('HTML page: the invitation has expired, was revoked or was accepted'),
};
const FORM_PAGES = {
  403: htmlPage('HTML page: the form was sent by another page, or passwords are not allowed at this address'),
  429: htmlPage('HTML page: too many attempts'),
};

/** Returns what is wrong with the fields of an acceptance; undefined if they can be tried. */
const fieldProblem = (name: string, password: string, repeat: string): AcceptProblem | undefined => {
  if (!userNameSchema.safeParse(name).success) return 'nameInvalid';
  return newPasswordProblem(password, repeat);
};

/** Routes of invitations, and of signing in and out as a guest. */
export const guestEntryRoutes = (parts: {
  invitations: InvitationService;
  accounts: GuestAccounts;
  pages: GuestPages;
  ownerName: () => string;
  baseOf: (host: string) => string;
}) => {
  const { invitations, accounts, pages, ownerName, baseOf } = parts;
  const passwordLinks = createPasswordLinkResponses({ invitations, accounts, pages, ownerName });

  /** Responds for an invitation that does not exist or has ended. One that is open again counts as unknown. */
  const endedResponse = (found: FoundInvitation | undefined, caller: Caller, headers: PageHeaders): RouteResponse => {
    const frame = pages.frameOf(caller, headers);
    if (found === undefined || found.state === 'open')
      return pages.respond(404, headers, endedInvitationPage(frame, 'unknown'));
    const page =
      found.row.password_of === null
        ? endedInvitationPage(frame, found.state)
        : endedPasswordLinkPage(frame, found.state);
    return pages.respond(410, headers, page);
  };

  /** Returns the open invitation of a token; otherwise the page that says why it has ended. */
  const openInvitation = (
    token: string,
    caller: Caller,
    headers: PageHeaders,
  ): { row: FoundInvitation['row'] } | { response: RouteResponse } => {
    const found = invitations.find(token);
    return found?.state === 'open' ? { row: found.row } : { response: endedResponse(found, caller, headers) };
  };

  const invitationResponse = (
    {
      row,
      token,
      name,
      problem,
    }: { row: FoundInvitation['row']; token: string; name: string; problem?: AcceptProblem },
    caller: Caller,
    headers: PageHeaders,
  ): RouteResponse =>
    pages.respond(
      problem === undefined ? 200 : STATUS_OF[problem],
      headers,
      invitationPage(pages.frameOf(caller, headers), {
        action: `${INVITATION_PATH}/${encodeURIComponent(token)}`,
        owner: ownerName(),
        expires: row.expires,
        name,
        fileNames: invitations.filesOf(row).map((file) => file.name),
        ...(problem === undefined ? {} : { problem }),
      }),
    );

  return [
    route({
      method: 'GET',
      path: PAGE,
      tag: TAG,
      summary: 'The page of an invitation',
      description:
        'Asks for a name and a password, or for a new password. Opening the page does not use up the invitation.',
      access: publicAccess,
      params: pageParams,
      headers: pageHeaders,
      responses: { 200: htmlPage('A page without scripts'), ...ENDED_PAGES },
      errors: PAGE_ERRORS,
      handler: ({ params: { token }, headers, caller }) => {
        const found = openInvitation(token, caller, headers);
        if ('response' in found) return found.response;
        const { row } = found;
        const user = invitations.passwordUserOf(row);
        if (user !== undefined) return passwordLinks.respond({ row, token, user }, caller, headers);
        return invitationResponse({ row, token, name: row.name }, caller, headers);
      },
    }),
    route({
      method: 'POST',
      path: PAGE,
      tag: TAG,
      summary: 'Accept an invitation',
      description:
        'The form of the page. Creates the user or sets their new password, ends the invitation and signs the user in.',
      access: publicAccess,
      params: pageParams,
      headers: pageHeaders,
      body: formBody,
      responses: {
        303: redirectTo('Accepted; `Location` is the page of the guest, `Set-Cookie` signs them in'),
        400: htmlPage('HTML page: name or password cannot be used'),
        ...FORM_PAGES,
        ...ENDED_PAGES,
      },
      errors: PAGE_ERRORS,
      handler: async ({ params: { token }, headers, body, caller }) => {
        const found = openInvitation(token, caller, headers);
        if ('response' in found) return found.response;
        const { row } = found;
        const form = await readForm(body);
        const passwordUser = invitations.passwordUserOf(row);
        if (passwordUser !== undefined) {
          const reply = await passwordLinks.submit({ row, token, user: passwordUser }, form, caller, headers);
          return reply ?? endedResponse(invitations.find(token), caller, headers);
        }
        const name = (form.get('name') ?? '').slice(0, 200);
        const password = passwordOf(form, 'password');
        const refuse = (problem: AcceptProblem): RouteResponse =>
          invitationResponse({ row, token, name, problem }, caller, headers);
        if (!pages.isFromOwnPage(caller, headers)) return refuse('foreignForm');
        const problem = fieldProblem(name, password, passwordOf(form, 'repeat'));
        if (problem !== undefined) return refuse(problem);
        try {
          const user = await invitations.accept(row, { name: userNameSchema.parse(name), password }, caller);
          if (user === undefined) return endedResponse(invitations.find(token), caller, headers);
          const signedIn = await accounts.signIn(user.name, password, caller);
          return 'cookie' in signedIn ? redirect(GUEST_PATH, signedIn.cookie) : redirect(signInPath('created'));
        } catch (error) {
          const refusal = error instanceof Failure ? problemOf(error) : undefined;
          if (refusal === undefined) throw error;
          return refuse(refusal);
        }
      },
    }),
    route({
      method: 'GET',
      path: SIGN_IN,
      tag: TAG,
      summary: 'The sign-in page of guests',
      access: publicAccess,
      query: signInQuery,
      headers: pageHeaders,
      responses: { 200: htmlPage('A page without scripts') },
      errors: PAGE_ERRORS,
      handler: ({ query, headers, caller }) => {
        const notice = SIGN_IN_NOTICES.find((candidate) => candidate === query.notice);
        return pages.respond(200, headers, signInPage(pages.frameOf(caller, headers), { notice }));
      },
    }),
    route({
      method: 'POST',
      path: SIGN_IN,
      tag: TAG,
      summary: 'Sign in as a guest',
      description: 'The form of the page. Only users can sign in here.',
      access: publicAccess,
      headers: pageHeaders,
      body: formBody,
      responses: {
        303: redirectTo('Signed in; `Location` is the page of the guest, `Set-Cookie` has their token'),
        401: htmlPage('HTML page: name or password is wrong'),
        ...FORM_PAGES,
      },
      errors: PAGE_ERRORS,
      handler: async ({ headers, body, caller }) => {
        const form = await readForm(body);
        const name = (form.get('name') ?? '').slice(0, 200);
        const refuse = (status: 401 | 403 | 429, problem: 'wrong' | 'wait' | 'owner' | 'readable' | 'foreign') =>
          pages.respond(status, headers, signInPage(pages.frameOf(caller, headers), { name, problem }));
        if (!pages.isFromOwnPage(caller, headers)) return refuse(403, 'foreign');
        const password = passwordOf(form, 'password');
        // An incomplete form is not an attempt.
        if (name === '' || password === '') return refuse(401, 'wrong');
        const signedIn = await accounts.signIn(name, password, caller);
        if ('cookie' in signedIn) return redirect(GUEST_PATH, signedIn.cookie);
        const { problem } = signedIn;
        return refuse(problem === 'wait' ? 429 : problem === 'readable' ? 403 : 401, problem);
      },
    }),
    route({
      method: 'POST',
      path: `${GUEST_PATH}/sign-out`,
      tag: TAG,
      summary: 'Sign out as a guest',
      access: publicAccess,
      headers: pageHeaders,
      body: formBody,
      responses: { 303: redirectTo('`Location` is the sign-in page, or the page of the guest if the form is foreign') },
      errors: PAGE_ERRORS,
      handler: ({ headers, body, caller }) =>
        pages.withGuest(caller, async (guest) => {
          if (!pages.isOwnForm(guest, await readForm(body), caller, headers)) return redirect(GUEST_PATH);
          await accounts.signOut(guest, caller);
          return redirect(signInPath('signedOut'), expiredGuestCookie(baseOf(caller.host)));
        }),
    }),
  ] as const;
};
