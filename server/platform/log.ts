import { pino, type Logger } from 'pino';

type Line = {
  (message: string): void;
  /** `what` goes into the line beside the message; an error as `err`. */
  (what: object, message: string): void;
};

type Level = 'debug' | 'info' | 'warn' | 'error';
export type Log = Readonly<Record<Level, Line>> & { isLevelEnabled(level: Level): boolean };

export type OwnLog = Log & {
  /** Makes ready what writes the lines. The first line does that too, but not where there is nothing left to open a file with. */
  open: () => void;
};

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

/** How much a line weighs; what weighs less than the level of the log is left out. */
const WEIGHT = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity };

const weightOf = (level: string): number => {
  const found = Object.entries(WEIGHT).find(([name]) => name === level);
  if (found === undefined) throw new Error(`There is no log level ${level}, only: ${Object.keys(WEIGHT).join(', ')}`);
  return found[1];
};

const openLogger = (level: string): Logger => {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [...NEVER_LOGGED.map((name) => `["${name}"]`), ...NEVER_LOGGED.map((name) => `*["${name}"]`)],
        censor: '[kept out]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
};

const nothing = (): void => undefined;

/**
 * JSON lines on stderr: stdout belongs to the start-up contract of the command line. What writes them is loaded with the first line: a start has
 * nothing to say, and would wait for it.
 */
export const createLog = (options: { level?: string } = {}): OwnLog => {
  const level = options.level ?? process.env['PDA_LOG_LEVEL'] ?? 'info';
  const least = weightOf(level);
  let opened: Logger | undefined;
  const logger = (): Logger => (opened ??= openLogger(level));
  const lineAt = (at: Level): Line =>
    WEIGHT[at] < least
      ? nothing
      : (what: object | string, message?: string) =>
          typeof what === 'string' ? logger()[at](what) : logger()[at](what, message);
  return {
    debug: lineAt('debug'),
    info: lineAt('info'),
    warn: lineAt('warn'),
    error: lineAt('error'),
    isLevelEnabled: (at) => WEIGHT[at] >= least,
    open: () => void logger(),
  };
};

export const silentLog = (): Log => ({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  isLevelEnabled: () => false,
});
