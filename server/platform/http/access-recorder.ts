import type { Failure } from '../failure.ts';
import type { Answer, Caller, Route } from './route.ts';

/** A call as it is about to be answered. */
export type Access = {
  route: Route;
  params: unknown;
  caller: Caller;
  status: number;
  /** Code of the refusal. */
  error: string | null;
  /** Bytes of the answer; null when it streams. */
  bytes: number | null;
};
/** Hears how many bytes an answer had after all: one that streamed, once it is over, or one that was held back. */
export type AccessEnd = (bytes: number) => void;

/**
 * Makes the record of a call; the answer leaves when that is on the disk. Asked about every call on a route that needs credentials, but
 * not about the owner's own.
 */
export type RecordAccess = (access: Access) => Promise<AccessEnd | undefined>;

/** A call that leads to a route, as far as its record is concerned. */
export type RecordedCall = { route: Route; params: unknown; caller: Caller };

async function* counted(stream: AsyncIterable<string | Buffer>, ended: AccessEnd): AsyncGenerator<string | Buffer> {
  let bytes = 0;
  try {
    for await (const piece of stream) {
      bytes += Buffer.byteLength(piece);
      yield piece;
    }
  } finally {
    ended(bytes);
  }
}

export const createAccessRecord = (recordAccess: RecordAccess | undefined) => {
  /** What makes the record of this call; undefined when there is to be none. */
  const recorderOf = ({ route, caller }: RecordedCall): RecordAccess | undefined =>
    caller.principal.kind !== 'owner' && route.access.want !== 'nothing' ? recordAccess : undefined;

  return {
    /** The answer, once the record of the call is on the disk. */
    async answered(call: RecordedCall, answer: Answer, headersOnly: boolean): Promise<Answer> {
      const record = recorderOf(call);
      if (record === undefined) {
        answer.check?.();
        return answer;
      }
      const { status, stream, text, json } = answer;
      // What is measured is what is sent: an object is written out once, here.
      const body = text ?? (json === undefined ? '' : JSON.stringify(json));
      const bytes = headersOnly ? 0 : stream === undefined ? Buffer.byteLength(body) : null;
      const ended = await record({ ...call, status, error: null, bytes });
      try {
        answer.check?.();
      } catch (error) {
        // What it was allowed has ended while its record was being made: nothing of it leaves.
        ended?.(0);
        throw error;
      }
      if (stream !== undefined) return ended === undefined ? answer : { ...answer, stream: counted(stream, ended) };
      if (json === undefined) return answer;
      const { json: _, ...rest } = answer;
      return { ...rest, text: body };
    },

    /** The record of a call that is refused, or that broke. */
    async refused(call: RecordedCall, { status, code }: Failure): Promise<void> {
      await recorderOf(call)?.({ ...call, status, error: code, bytes: null });
    },
  };
};

export type AccessRecord = ReturnType<typeof createAccessRecord>;
