import { tokenResponseSchema } from '../../server/wire/owner.ts';
import { userSchema, type User } from '../../server/wire/users.ts';
import type { Reply } from './http.ts';
import type { TestPda } from './test-pda.ts';

export const USER_PASSWORD = 'a quiet meadow in the north';

export const addUser = async (pda: TestPda, name: string, password = USER_PASSWORD): Promise<User> => {
  const reply = await pda.call('POST', '/users/user', { json: { name, password } });
  if (reply.status !== 201) throw new Error(`adding ${name} failed: ${reply.status} ${reply.text}`);
  return userSchema.parse(reply.json);
};

/** Removes all users, and advances the clock until the login throttle has recovered. */
export const removeUsers = async (pda: TestPda): Promise<void> => {
  for (const { userId } of pda.pda.users.list()) await pda.pda.users.remove(userId);
  pda.clock.advance(60_000);
};

export const trySignIn = (pda: TestPda, name: string, password = USER_PASSWORD): Promise<Reply> =>
  pda.call('GET', '/users/access_token', {
    token: null,
    headers: { username: encodeURIComponent(name), password: encodeURIComponent(password) },
  });

export const signInAs = async (pda: TestPda, name: string, password = USER_PASSWORD): Promise<string> => {
  // Sign-in attempts are rate-limited, even successful ones.
  pda.clock.advance(2000);
  return tokenResponseSchema.parse((await trySignIn(pda, name, password)).json).accessToken;
};

/** Creates a user and signs in as the user. @returns the access token */
export const addUserAndSignIn = async (pda: TestPda, name: string): Promise<string> => {
  await addUser(pda, name);
  return signInAs(pda, name);
};
