import { answerRequests } from '../../../../platform/workers/idle-thread.ts';
import { passwordStrength } from '../../../../platform/auth/password-strength.ts';
import type { StrengthRequest } from './strength.ts';

/** Says how hard passwords are to guess. */
answerRequests(({ password, inputs }: StrengthRequest) => passwordStrength(password, inputs));
