import { Failure } from '../../../platform/failure.ts';
import type { Caller, RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH, INVITATION_PATH } from '../../../wire/invitations.ts';
import { newPasswordSchema } from '../../../wire/owner.ts';
import type { GuestAccounts } from './account.ts';
import type { InvitationService } from './invitations.ts';
import { passwordOf, redirect, signInPath, type GuestPages, type PageHeaders } from './page-response.ts';
import { passwordLinkPage, type PasswordLinkProblem } from './pages/password-link.ts';
import type { InvitationRow } from './store.ts';

/** An open link for a new password, and the user who sets it. */
export type PasswordLink = { row: InvitationRow; token: string; user: { userId: string; name: string } };

/** Status of the page that shows a problem. */
const STATUS_OF: Readonly<Record<PasswordLinkProblem, 400 | 403 | 429>> = {
  passwordMissing: 400,
  passwordWeak: 400,
  passwordsDiffer: 400,
  wait: 429,
  readable: 403,
  foreignForm: 403,
};

/** Problems of refused changes, by error code. */
const PROBLEM_OF: Readonly<Partial<Record<Failure['code'], PasswordLinkProblem>>> = {
  invalid_input: 'passwordWeak',
  rate_limited: 'wait',
  forbidden: 'readable',
};

/** Creates the responses of links with which guests set a new password. */
export const createPasswordLinkResponses = (parts: {
  invitations: Pick<InvitationService, 'setPassword'>;
  accounts: Pick<GuestAccounts, 'signIn'>;
  pages: GuestPages;
  ownerName: () => string;
}) => {
  const { invitations, accounts, pages, ownerName } = parts;

  const respond = (
    { row, token, user }: PasswordLink,
    caller: Caller,
    headers: PageHeaders,
    problem?: PasswordLinkProblem,
  ): RouteResponse =>
    pages.respond(
      problem === undefined ? 200 : STATUS_OF[problem],
      headers,
      passwordLinkPage(pages.frameOf(caller, headers), {
        action: `${INVITATION_PATH}/${encodeURIComponent(token)}`,
        owner: ownerName(),
        name: user.name,
        expires: row.expires,
        ...(problem === undefined ? {} : { problem }),
      }),
    );

  return {
    /** Responds with the page of an open link. */
    respond,

    /** Sets the password of a form and signs the guest in. Returns undefined if the link has ended in the meantime. */
    async submit(
      link: PasswordLink,
      form: URLSearchParams,
      caller: Caller,
      headers: PageHeaders,
    ): Promise<RouteResponse | undefined> {
      const refuse = (problem: PasswordLinkProblem): RouteResponse => respond(link, caller, headers, problem);
      if (!pages.isFromOwnPage(caller, headers)) return refuse('foreignForm');
      const password = passwordOf(form, 'password');
      if (!newPasswordSchema.safeParse(password).success) return refuse('passwordMissing');
      if (password !== passwordOf(form, 'repeat')) return refuse('passwordsDiffer');
      try {
        if ((await invitations.setPassword(link.row, link.user, password, caller)) === undefined) return undefined;
      } catch (error) {
        const problem = error instanceof Failure ? PROBLEM_OF[error.code] : undefined;
        if (problem === undefined) throw error;
        return refuse(problem);
      }
      const signedIn = await accounts.signIn(link.user.name, password, caller);
      return 'cookie' in signedIn ? redirect(GUEST_PATH, signedIn.cookie) : redirect(signInPath('changed'));
    },
  };
};
