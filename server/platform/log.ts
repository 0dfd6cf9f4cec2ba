import { pino, type Logger } from 'pino';
import { codeOf } from '../wire/values.ts';

type LogMethod = {
  (message: string): void;
  /** Adds fields to the line. An error belongs in the field `err`. */
  (fields: object, message: string): void;
};

type Level = 'debug' | 'info' | 'warn' | 'error';
export type Log = Readonly<Record<Level, LogMethod>> & { isLevelEnabled(level: Level): boolean };

export type ProcessLog = Log & {
  open: () => void;
};

/** Names of fields that may contain a secret or personal data, if they are logged by mistake. */
const REDACTED_FIELDS = [
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

/** Code of an error: ENOSPC, ERR_INVALID_URL, SQLITE_BUSY, or the five characters of an SQLSTATE. */
const ERROR_CODE = /^(?:[A-Z][A-Z0-9_]{2,60}|[A-Z0-9]{5})$/u;

/** Writes the code of an error as `errorCode`, because fields with the name `code` are redacted. */
const serializeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  return { ...pino.stdSerializers.err(error), ...(ERROR_CODE.test(code) ? { errorCode: code } : {}) };
};

const LEVEL_WEIGHTS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity };

const weightOf = (level: string): number => {
  const entry = Object.entries(LEVEL_WEIGHTS).find(([name]) => name === level);
  if (entry === undefined)
    throw new Error(`Unknown log level ${level}. Use one of: ${Object.keys(LEVEL_WEIGHTS).join(', ')}.`);
  return entry[1];
};

const openLogger = (level: string): Logger => {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      redact: {
        paths: [...REDACTED_FIELDS.map((name) => `["${name}"]`), ...REDACTED_FIELDS.map((name) => `*["${name}"]`)],
        censor: '[redacted]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
};

const noop = (): void => undefined;

/**
 * Creates a log of JSON lines on stderr. The logger is opened by the first line or by `open`, because a start usually
 * logs nothing and should not wait for the logger.
 * @param options.level default: `PDA_LOG_LEVEL`, or `info`
 * @throws Error for an unknown level
 */
export const createLog = (options: { level?: string } = {}): ProcessLog => {
  const level = options.level ?? process.env['PDA_LOG_LEVEL'] ?? 'info';
  const minWeight = weightOf(level);
  let openedLogger: Logger | undefined;
  const getLogger = (): Logger => (openedLogger ??= openLogger(level));
  const methodFor = (methodLevel: Level): LogMethod =>
    LEVEL_WEIGHTS[methodLevel] < minWeight
      ? noop
      : (fields: object | string, message?: string) =>
          typeof fields === 'string' ? getLogger()[methodLevel](fields) : getLogger()[methodLevel](fields, message);
  return {
    debug: methodFor('debug'),
    info: methodFor('info'),
    warn: methodFor('warn'),
    error: methodFor('error'),
    isLevelEnabled: (levelName) => LEVEL_WEIGHTS[levelName] >= minWeight,
    open: () => void getLogger(),
  };
};

export const silentLog = (): Log => ({
  debug: noop,
  info: noop,
  warn: noop,
  error: noop,
  isLevelEnabled: () => false,
});
