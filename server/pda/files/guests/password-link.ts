import { Failure } from '../../../platform/failure.ts';
import type { Caller, RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH, INVITATION_PATH } from '../../../wire/guest-paths.ts';
import type { GuestAccounts } from './account.ts';
import { acceptProblemOf, newPasswordProblem, statusOfForm } from './entry-problems.ts';
import type { InvitationService } from './invitations.ts';
import { passwordOf, redirect, signInPath, type GuestPages, type PageHeaders } from './page-response.ts';
import type { AcceptProblem } from './pages/entry.ts';
import { passwordLinkPage } from './pages/password-link.ts';
import type { InvitationRow } from './store.ts';

type PasswordLink = { row: InvitationRow; token: string; user: { userId: string; name: string } };

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
    problem?: AcceptProblem,
  ): RouteResponse =>
    pages.respond(
      statusOfForm(problem),
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
    respond,

    /** Returns undefined if the link has ended in the meantime. */
    async submit(
      link: PasswordLink,
      form: URLSearchParams,
      caller: Caller,
      headers: PageHeaders,
    ): Promise<RouteResponse | undefined> {
      const refuse = (problem: AcceptProblem): RouteResponse => respond(link, caller, headers, problem);
      if (!pages.isFromOwnPage(caller, headers)) return refuse('foreignForm');
      const password = passwordOf(form, 'password');
      const problem = newPasswordProblem(password, passwordOf(form, 'repeat'));
      if (problem !== undefined) return refuse(problem);
      try {
        if ((await invitations.setPassword(link.row, link.user, password, caller)) === undefined) return undefined;
      } catch (error) {
        const refusal = error instanceof Failure ? acceptProblemOf(error) : undefined;
        if (refusal === undefined) throw error;
        return refuse(refusal);
      }
      const signInResult = await accounts.signIn(link.user.name, password, caller);
      return 'cookie' in signInResult ? redirect(GUEST_PATH, signInResult.cookie) : redirect(signInPath('changed'));
    },
  };
};
