import { serveRequests } from '../../../../platform/workers/idle-thread.ts';
import { estimatePasswordStrength } from '../../../../platform/auth/password-strength.ts';
import type { StrengthRequest } from './strength.ts';

serveRequests(({ password, userInputs }: StrengthRequest) => estimatePasswordStrength(password, userInputs));
