import { Failure } from '../../../platform/failure.ts';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type Caller } from '../../../platform/http/route.ts';
import {
  backupChangeSchema,
  backupKeySchema,
  backupPassphraseSchema,
  backupSchema,
  backupSetUpSchema,
  restorableSchema,
  restoredSchema,
  restorableRequestSchema,
  restoreRequestSchema,
} from '../../../wire/backup.ts';
import type { BackupService } from './service.ts';
import type { SetUpRestore } from './setup-service.ts';

const TAG = 'Backups';
const PATH = '/api/v2.6/owner/backup';
const RESTORE = '/api/v2.6/owner/restore';

/** Refuses remote requests: a stolen owner session must not be able to lock the owner out of the backups. */
const expectHere = ({ local }: Caller): void => {
  if (!local)
    throw new Failure(
      'forbidden',
      'Where backups go and what opens them is chosen at the computer on which this PDA runs. Nothing was changed.',
    );
};

/** Backups, for the owner, and the restore during the set-up. */
export const backupRoutes = ({ backup, setUp }: { backup: BackupService; setUp: SetUpRestore }) => {
  const responses = { 200: { description: 'As it is now', schema: backupSchema } };
  const begun = {
    202: { description: 'It runs; live events of the topic `backup` tell how far it is', schema: backupSchema },
  };
  const keys = { 200: { description: 'The new recovery key, shown this once', schema: backupKeySchema } };
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'How backups are made, which there are, and what was proven of them',
      access: ownerOnly,
      responses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async () => json(200, backup.view()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/set-up`,
      tag: TAG,
      summary: 'Choose a folder and a passphrase',
      description:
        'The folder is one of this machine that is there, outside of the home. Everything in it is encrypted; the passphrase or the recovery key opens it, and ' +
        'without one of them nothing does. Nothing is backed up by this call itself.',
      access: ownerOnly,
      body: { as: 'json', schema: backupSetUpSchema },
      responses: keys,
      errors: ['wrong_state', 'out_of_disk', 'forbidden'],
      handler: async ({ body, caller }) => {
        expectHere(caller);
        const recoveryKey = await backup.setUp(body.folder, body.passphrase);
        return json(200, { recoveryKey, backup: backup.view() });
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/key`,
      tag: TAG,
      summary: 'Choose another passphrase',
      description:
        'There is another recovery key with it. The passphrase and the recovery key before open nothing any more in this folder.',
      access: ownerOnly,
      body: { as: 'json', schema: backupPassphraseSchema },
      responses: keys,
      errors: ['wrong_state', 'out_of_disk', 'forbidden'],
      handler: async ({ body, caller }) => {
        expectHere(caller);
        const recoveryKey = await backup.changeKey(body.passphrase);
        return json(200, { recoveryKey, backup: backup.view() });
      },
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Choose how often, how many are kept, and another folder',
      access: ownerOnly,
      body: { as: 'json', schema: backupChangeSchema },
      responses,
      errors: ['wrong_state', 'out_of_disk', 'forbidden'],
      handler: async ({ body, caller }) => {
        expectHere(caller);
        await backup.change(body);
        return json(200, backup.view());
      },
    }),
    route({
      method: 'DELETE',
      path: PATH,
      tag: TAG,
      summary: 'Make no more backups',
      description: 'Those that there are stay where they are, and open as before.',
      access: ownerOnly,
      responses,
      errors: ['wrong_state', 'out_of_disk', 'forbidden'],
      handler: async ({ caller }) => {
        expectHere(caller);
        await backup.turnOff();
        return json(200, backup.view());
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/run`,
      tag: TAG,
      summary: 'Back up now',
      access: ownerOnly,
      responses: begun,
      errors: ['wrong_state'],
      handler: async () => {
        backup.run();
        return json(202, backup.view());
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/drill`,
      tag: TAG,
      summary: 'Restore the newest backup into a scratch folder now, and compare',
      description:
        'Reads every byte of the archive, then restores all of the newest backup, compares, and takes the scratch away.',
      access: ownerOnly,
      responses: begun,
      errors: ['wrong_state'],
      handler: async () => {
        backup.drill();
        return json(202, backup.view());
      },
    }),
    route({
      method: 'POST',
      path: `${RESTORE}/look`,
      tag: TAG,
      summary: 'Which backups there are in a folder',
      description: "Before the set-up, from the PDA's own machine, with the code that the start printed.",
      access: publicAccess,
      beforeSetup: true,
      takesMinutes: true,
      body: { as: 'json', schema: restorableRequestSchema },
      responses: { 200: { description: 'Those that the key opens', schema: restorableSchema } },
      errors: ['wrong_state', 'invalid_setup_code', 'setup_only_local', 'rate_limited', 'forbidden', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await setUp.look(body, caller)),
    }),
    route({
      method: 'POST',
      path: RESTORE,
      tag: TAG,
      summary: 'Set this PDA up from a backup',
      description:
        "Before the set-up, from the PDA's own machine, with the code that the start printed. Whatever goes wrong, nothing is changed. Afterwards the server " +
        'restarts; all sessions end.',
      access: publicAccess,
      beforeSetup: true,
      takesMinutes: true,
      body: { as: 'json', schema: restoreRequestSchema },
      responses: {
        200: { description: 'The restore is complete; the server restarts with it', schema: restoredSchema },
      },
      errors: ['wrong_state', 'invalid_setup_code', 'setup_only_local', 'rate_limited', 'forbidden', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await setUp.restore(body, caller)),
    }),
  ] as const;
};
