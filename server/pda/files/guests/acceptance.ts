import { Failure } from '../../../platform/failure.ts';
import type { Caller, RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH, INVITATION_PATH } from '../../../wire/guest-paths.ts';
import { passkeyRegistrationSchema, type PasskeyRegistration } from '../../../wire/passkeys.ts';
import { userNameSchema } from '../../../wire/users.ts';
import { nameOfPath } from '../folder/rules.ts';
import type { GuestAccounts, GuestSignIn } from './account.ts';
import { acceptProblemOf, newPasswordProblem, passkeyProblemOf, statusOfForm } from './entry-problems.ts';
import type { InvitationService } from './invitations.ts';
import { passwordOf, redirect, signInPath, type GuestPages, type PageHeaders } from './page-response.ts';
import { browserNameOf } from './pages/account.ts';
import { invitationPage, type AcceptProblem } from './pages/entry.ts';
import { GUEST_TEXTS } from './pages/texts.ts';
import { parsePasskey } from './passkey-forms.ts';
import type { GuestPasskeys } from './passkeys.ts';
import type { InvitationRow } from './store.ts';

type OpenInvitation = { row: InvitationRow; token: string };

export const createAcceptanceResponses = (parts: {
  invitations: Pick<InvitationService, 'filesOf' | 'collectionOf' | 'accept' | 'acceptWithPasskey'>;
  accounts: Pick<GuestAccounts, 'signIn' | 'signInAfterInvitation'>;
  guestPasskeys: Pick<GuestPasskeys, 'acceptanceCeremony'>;
  pages: GuestPages;
  ownerName: () => string;
}) => {
  const { invitations, accounts, guestPasskeys, pages, ownerName } = parts;

  const respond = (
    { row, token, name, problem }: OpenInvitation & { name: string; problem?: AcceptProblem },
    caller: Caller,
    headers: PageHeaders,
  ): RouteResponse => {
    const passkey = guestPasskeys.acceptanceCeremony(row, caller);
    const hasPasskeyScript = passkey !== undefined;
    return pages.respond(
      statusOfForm(problem),
      headers,
      invitationPage(
        { ...pages.frameOf(caller, headers), hasPasskeyScript },
        {
          action: `${INVITATION_PATH}/${encodeURIComponent(token)}`,
          owner: ownerName(),
          expires: row.expires,
          name,
          fileNames: invitations.filesOf(row).map((file) => file.name),
          // The page does not reveal the names of the parent folders.
          folder: row.folder === null ? undefined : nameOfPath(row.folder),
          collection: invitations.collectionOf(row)?.name,
          passkey,
          ...(problem === undefined ? {} : { problem }),
        },
      ),
      { hasPasskeyScript },
    );
  };

  const acceptWithPassword = async (
    row: InvitationRow,
    credentials: { name: string; password: string },
    caller: Caller,
  ): Promise<GuestSignIn | undefined> => {
    const user = await invitations.accept(row, credentials, caller);
    return user === undefined ? undefined : accounts.signIn(user.name, credentials.password, caller);
  };

  const acceptWithPasskey = async (
    row: InvitationRow,
    { name, registration }: { name: string; registration: PasskeyRegistration },
    caller: Caller,
    headers: PageHeaders,
  ): Promise<GuestSignIn | undefined> => {
    const { language } = pages.frameOf(caller, headers);
    const passkeyName = browserNameOf(caller.userAgent, language) ?? GUEST_TEXTS[language].defaultPasskeyName;
    const user = await invitations.acceptWithPasskey(row, { name, registration, passkeyName }, caller);
    return user === undefined ? undefined : accounts.signInAfterInvitation(user, caller);
  };

  return {
    respond,

    /** Accepts the invitation and signs the guest in. Returns undefined if the invitation has ended in the meantime. */
    async submit(
      invitation: OpenInvitation,
      form: URLSearchParams,
      caller: Caller,
      headers: PageHeaders,
    ): Promise<RouteResponse | undefined> {
      const { row } = invitation;
      const name = (form.get('name') ?? '').slice(0, 200);
      const password = passwordOf(form, 'password');
      const usesPasskey = (form.get('passkey') ?? '') !== '';
      const refuse = (problem: AcceptProblem): RouteResponse =>
        respond({ ...invitation, name, problem }, caller, headers);
      if (!pages.isFromOwnPage(caller, headers)) return refuse('foreignForm');
      const userName = userNameSchema.safeParse(name);
      if (!userName.success) return refuse('nameInvalid');
      const registration = parsePasskey(form, passkeyRegistrationSchema);
      if (usesPasskey && registration === undefined) return refuse('passkeyRefused');
      const problem = registration === undefined ? newPasswordProblem(password, passwordOf(form, 'repeat')) : undefined;
      if (problem !== undefined) return refuse(problem);
      try {
        const signInResult =
          registration === undefined
            ? await acceptWithPassword(row, { name: userName.data, password }, caller)
            : await acceptWithPasskey(row, { name: userName.data, registration }, caller, headers);
        if (signInResult === undefined) return undefined;
        return 'cookie' in signInResult ? redirect(GUEST_PATH, signInResult.cookie) : redirect(signInPath('created'));
      } catch (error) {
        const toProblem = registration === undefined ? acceptProblemOf : passkeyProblemOf;
        const refusal = error instanceof Failure ? toProblem(error) : undefined;
        if (refusal === undefined) throw error;
        return refuse(refusal);
      }
    },
  };
};
