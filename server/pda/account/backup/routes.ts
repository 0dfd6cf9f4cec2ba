import { Failure } from '../../../platform/failure.ts';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller } from '../../../platform/http/route.ts';
import {
  backupChangeSchema,
  backupKeySchema,
  backupPassphraseSchema,
  backupSchema,
  backupSetUpSchema,
  restorableSchema,
  restoredBackupSchema,
  restorableRequestSchema,
  restoreRequestSchema,
} from '../../../wire/backup.ts';
import type { BackupService } from './service.ts';
import type { SetupRestore } from './setup-service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Backups', access: ownerOnly });
const publicRoute = createRouteDeclarer({ tag: 'Backups', access: publicAccess });
const PATH = '/api/v2.6/owner/backup';
const RESTORE_PATH = '/api/v2.6/owner/restore';

/** A stolen session must not be able to lock the owner out of the backups. */
const requireLocal = ({ local }: Caller): void => {
  if (!local)
    throw new Failure(
      'forbidden',
      'Backup settings can only be changed on the computer that runs this PDA. Nothing was changed.',
    );
};

export const backupRoutes = ({ backup, setupRestore }: { backup: BackupService; setupRestore: SetupRestore }) => {
  const statusResponses = { 200: { description: 'Current status', schema: backupSchema } };
  const startedResponses = {
    202: { description: 'Started; live events of the topic `backup` report the progress', schema: backupSchema },
  };
  const keyResponses = { 200: { description: 'The new recovery key, shown only once', schema: backupKeySchema } };
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the backup settings, backups and results of restore drills',
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async () => json(200, backup.view()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/set-up`,
      summary: 'Choose a folder and a passphrase',
      description:
        'The folder must exist on this machine, outside the home. The backups in it are encrypted and can only be opened with the passphrase or the recovery key. ' +
        'This request does not start a backup.',
      body: { as: 'json', schema: backupSetUpSchema },
      responses: keyResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => {
        requireLocal(caller);
        const recoveryKey = await backup.setUp(body.folder, body.passphrase);
        return json(200, { recoveryKey, backup: backup.view() });
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/key`,
      summary: 'Change the passphrase',
      description:
        'Also creates a new recovery key. The previous passphrase and recovery key no longer open the backups in this folder.',
      body: { as: 'json', schema: backupPassphraseSchema },
      responses: keyResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => {
        requireLocal(caller);
        const recoveryKey = await backup.changePassphrase(body.passphrase);
        return json(200, { recoveryKey, backup: backup.view() });
      },
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Change schedule, retention and folder',
      body: { as: 'json', schema: backupChangeSchema },
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => {
        requireLocal(caller);
        await backup.change(body);
        return json(200, backup.view());
      },
    }),
    ownerRoute({
      method: 'DELETE',
      path: PATH,
      summary: 'Turn backups off',
      description: 'Existing backups stay in their folder and can still be opened.',
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async ({ caller }) => {
        requireLocal(caller);
        await backup.turnOff();
        return json(200, backup.view());
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/run`,
      summary: 'Back up now',
      responses: startedResponses,
      errors: ['wrong_state'],
      handler: async () => {
        backup.run();
        return json(202, backup.view());
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/drill`,
      summary: 'Run a restore drill of the newest backup',
      description:
        'Verifies every byte of the archive, then restores the newest backup into a temporary folder and checks the result.',
      responses: startedResponses,
      errors: ['wrong_state'],
      handler: async () => {
        backup.drill();
        return json(202, backup.view());
      },
    }),
    publicRoute({
      method: 'POST',
      path: `${RESTORE_PATH}/list`,
      summary: 'List the backups in a folder',
      description:
        'Available only before the set-up, on this machine, with the code that the server printed at startup.',
      beforeSetup: true,
      takesMinutes: true,
      body: { as: 'json', schema: restorableRequestSchema },
      responses: { 200: { description: 'The backups of the archive that `secret` opens', schema: restorableSchema } },
      errors: ['wrong_state', 'invalid_setup_code', 'forbidden'],
      handler: async ({ body, caller }) => json(200, await setupRestore.list(body, caller)),
    }),
    publicRoute({
      method: 'POST',
      path: RESTORE_PATH,
      summary: 'Set up this PDA from a backup',
      description:
        'Available only before the set-up, on this machine, with the code that the server printed at startup. A failed restore changes nothing. After the restore the server ' +
        'restarts and all sessions end.',
      beforeSetup: true,
      takesMinutes: true,
      body: { as: 'json', schema: restoreRequestSchema },
      responses: {
        200: {
          description: 'The restore is complete; the server restarts with the restored account',
          schema: restoredBackupSchema,
        },
      },
      errors: ['wrong_state', 'invalid_setup_code', 'forbidden'],
      handler: async ({ body, caller }) => json(200, await setupRestore.restore(body, caller)),
    }),
  ] as const;
};
