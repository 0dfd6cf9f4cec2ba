import { answerRequests } from '../../../../platform/workers/idle-thread.ts';
import { passwordStrength } from '../../../../platform/auth/password-strength.ts';
import type { StrengthRequest } from './strength.ts';

/** Worker thread that rates the strength of passwords. */
answerRequests(({ password, inputs }: StrengthRequest) => passwordStrength(password, inputs));
