import { z } from 'zod';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { Failure } from '../../../platform/failure.ts';
import { route, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH, INVITATION_PATH, invitationTokenSchema } from '../../../wire/invitations.ts';
import { newPasswordSchema } from '../../../wire/owner.ts';
import { userNameSchema } from '../../../wire/users.ts';
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

/** Status of the page that shows a problem. */
const STATUS_OF: Readonly<Record<AcceptProblem, 400 | 403 | 429>> = {
  nameInvalid: 400,
  nameTaken: 400,
  passwordMissing: 400,
  passwordWeak: 400,
  passwordsDiffer: 400,
  wait: 429,
  readable: 403,
  foreignForm: 403,
};

/** Returns the problem of a refused acceptance; undefined if the page cannot explain it. */
const problemOf = ({ code }: Failure): AcceptProblem | undefined => {
  switch (code) {
    case 'already_exists':
      return 'nameTaken';
    case 'invalid_input':
      return 'passwordWeak';
    case 'rate_limited':
      return 'wait';
    case 'forbidden':
      return 'readable';
    default:
      return undefined;
  }
};

/** Returns what is wrong with the fields of an acceptance; undefined if they can be tried. */
const fieldProblem = (name: string, password: string, repeat: string): AcceptProblem | undefined => {
  if (!userNameSchema.safeParse(name).success) return 'nameInvalid';
  if (!newPasswordSchema.safeParse(password).success) return 'passwordMissing';
  return password === repeat ? undefined : 'passwordsDiffer';
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

  const endedResponse = (
    state: 'unknown' | 'expired' | 'revoked' | 'accepted',
    caller: Caller,
    headers: PageHeaders,
  ): RouteResponse =>
    pages.respond(state === 'unknown' ? 404 : 410, headers, endedInvitationPage(pages.frameOf(caller, headers), state));

  /** Returns the open invitation of a token; otherwise the page that says why it has ended. */
  const openInvitation = (
    token: string,
    caller: Caller,
    headers: PageHeaders,
  ): { row: FoundInvitation['row'] } | { response: RouteResponse } => {
    const result = invitations.find(token);
    if (result === undefined) return { response: endedResponse('unknown', caller, headers) };
    return result.state === 'open' ? { row: result.row } : { response: endedResponse(result.state, caller, headers) };
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
      description: 'Asks for a name and a password. Opening the page does not use up the invitation.',
      access: publicAccess,
      params: pageParams,
      headers: pageHeaders,
      responses: { 200: htmlPage('A page without scripts'), ...ENDED_PAGES },
      errors: PAGE_ERRORS,
      handler: ({ params: { token }, headers, caller }) => {
        const result = openInvitation(token, caller, headers);
        if ('response' in result) return result.response;
        return invitationResponse({ row: result.row, token, name: result.row.name }, caller, headers);
      },
    }),
    route({
      method: 'POST',
      path: PAGE,
      tag: TAG,
      summary: 'Accept an invitation',
      description: 'The form of the page. Creates the user, ends the invitation and signs the user in.',
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
        const result = openInvitation(token, caller, headers);
        if ('response' in result) return result.response;
        const { row } = result;
        const form = await readForm(body);
        const name = (form.get('name') ?? '').slice(0, 200);
        const password = passwordOf(form, 'password');
        const refuse = (problem: AcceptProblem): RouteResponse =>
          invitationResponse({ row, token, name, problem }, caller, headers);
        if (!pages.isFromOwnPage(caller, headers)) return refuse('foreignForm');
        const problem = fieldProblem(name, password, passwordOf(form, 'repeat'));
        if (problem !== undefined) return refuse(problem);
        try {
          const user = await invitations.accept(row, { name: userNameSchema.parse(name), password }, caller);
          if (user === undefined) {
            const { state } = invitations.find(token) ?? { state: 'unknown' };
            return endedResponse(state === 'open' ? 'unknown' : state, caller, headers);
          }
          const signInResult = await accounts.signIn(user.name, password, caller);
          return 'cookie' in signInResult ? redirect(GUEST_PATH, signInResult.cookie) : redirect(signInPath('created'));
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
        const signInResult = await accounts.signIn(name, password, caller);
        if ('cookie' in signInResult) return redirect(GUEST_PATH, signInResult.cookie);
        const { problem } = signInResult;
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
