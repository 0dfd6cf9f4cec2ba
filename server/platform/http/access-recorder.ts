import type { Failure } from '../failure.ts';
import type { RouteResponse, Caller, Route } from './route.ts';

export type AccessEvent = {
  route: Route;
  params: unknown;
  caller: Caller;
  status: number;
  /** Code of the failure; null for success, and for a stored decision whose response failed. */
  error: string | null;
  /** Bytes of the response body; null for an error, and while a stream has not ended. */
  bytes: number | null;
};
/** Reports the sent bytes of the body: after a stream has ended, or 0 if the response was withheld. */
export type ReportBytesSent = (bytes: number) => void;

/**
 * Writes a request's access log entry and resolves when it is on disk. Requests without a valid token are only counted.
 * Called for requests to routes that require credentials. Requests of the owner are recorded only if they are decisions
 * that took effect.
 */
export type RecordAccess = (access: AccessEvent) => Promise<ReportBytesSent | undefined>;

export type RecordedRequest = { route: Route; params: unknown; caller: Caller };

async function* countBytes(
  stream: AsyncIterable<string | Buffer>,
  reportBytes: ReportBytesSent,
): AsyncGenerator<string | Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  } finally {
    reportBytes(bytes);
  }
}

export const createAccessRecorder = (recordAccess: RecordAccess | undefined) => {
  const recorderOf = ({ route, caller }: RecordedRequest, hasTakenEffect: boolean): RecordAccess | undefined => {
    const isRecorded =
      caller.principal.kind !== 'owner' ||
      (hasTakenEffect && route.ownerDecision === true && !caller.trace.isUnrecorded);
    return isRecorded && route.access.auth !== 'public' ? recordAccess : undefined;
  };

  return {
    /** @param response must contain its JSON as `text`, so that the recorded bytes are the sent bytes */
    async recordResponse(
      request: RecordedRequest,
      response: RouteResponse,
      headersOnly: boolean,
    ): Promise<RouteResponse> {
      const record = recorderOf(request, true);
      if (record === undefined) {
        response.check?.();
        return response;
      }
      const { status, stream, text = '' } = response;
      const bytes = headersOnly ? 0 : stream === undefined ? Buffer.byteLength(text) : null;
      const reportBytes = await record({ ...request, status, error: null, bytes });
      try {
        response.check?.();
      } catch (error) {
        // The right was revoked while the entry was written.
        reportBytes?.(0);
        throw error;
      }
      return stream === undefined || reportBytes === undefined
        ? response
        : { ...response, stream: countBytes(stream, reportBytes) };
    },

    /**
     * Writes the entry of a failed request. A stored decision of the owner is recorded as successful, because it took
     * effect although its response failed.
     */
    async recordFailure(request: RecordedRequest, { status, code }: Failure): Promise<void> {
      const { principal, trace } = request.caller;
      if (principal.kind === 'owner' && trace.isDecisionStored)
        await recorderOf(request, true)?.({ ...request, status: 200, error: null, bytes: 0 });
      else await recorderOf(request, false)?.({ ...request, status, error: code, bytes: null });
    },
  };
};

export type AccessRecorder = ReturnType<typeof createAccessRecorder>;
