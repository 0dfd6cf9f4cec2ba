import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Names under which a secret or a person's data could travel into a log line by mistake. */
const NEVER_LOGGED = [
  'password',
  'newPassword',
  'token',
  'accessToken',
  'code',
  'authorization',
  'data',
  'body',
  'x-auth-token',
];

/** JSON lines on stderr: stdout belongs to the start-up contract of the command line. */
export const createLog = (options: { level?: string } = {}): Log =>
  pino(
    {
      level: options.level ?? process.env['PDA_LOG_LEVEL'] ?? 'info',
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [...NEVER_LOGGED.map((name) => `["${name}"]`), ...NEVER_LOGGED.map((name) => `*["${name}"]`)],
        censor: '[kept out]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );

export const silentLog = (): Log => pino({ level: 'silent' });
