import { z } from 'zod';

export const ERROR_STATUS = {
  invalid_input: 400,
  invalid_json: 400,
  already_exists: 400,
  data_missing: 400,
  data_debit_not_enabled: 400,
  query_limit_exceeded: 400,
  function_not_available: 400,
  function_not_enabled: 400,
  not_authenticated: 401,
  invalid_credentials: 401,
  second_factor_required: 401,
  forbidden: 403,
  setup_only_local: 403,
  invalid_setup_code: 403,
  not_found: 404,
  method_not_allowed: 405,
  wrong_state: 409,
  not_set_up: 409,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  rate_limited: 429,
  internal_error: 500,
  // The next five are outcomes of function runs: the limit that was exceeded, or the kind of failure.
  memory: 502,
  time: 502,
  error: 502,
  output: 502,
  crashed: 502,
  unavailable: 503,
  out_of_disk: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const REASON_PHRASE: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
};

const errorDetailSchema = z
  .strictObject({
    path: z.string().meta({ description: 'Dotted path in the request, e.g. `body.0.data`' }),
    problem: z.string().meta({ description: 'Human-readable description of the problem' }),
  })
  .meta({ id: 'ErrorDetail' });

export const errorBodySchema = z
  .strictObject({
    error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]).meta({ description: 'Stable code' }),
    message: z.string().meta({ description: 'HTTP reason phrase' }),
    cause: z.string().meta({ description: 'Human-readable description of the problem' }),
    details: z.array(errorDetailSchema).optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Error' });

export type ErrorDetail = z.infer<typeof errorDetailSchema>;
export type ErrorBody = z.infer<typeof errorBodySchema>;
