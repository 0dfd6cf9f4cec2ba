import type { Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { MAX_LONG_READS } from '../../../wire/limits.ts';
import type { PublicReads } from '../../sharing/access-log/index.ts';
import type { GrantedView, SharedViewService } from '../../sharing/shared-views/index.ts';
import type { GuestPages, GuestRequest } from './page-response.ts';
import type { FrameParts } from './pages/frame.ts';
import { viewProblemPage } from './pages/tables.ts';

export type ViewRequest<View extends GrantedView> = {
  view: View;
  frame: FrameParts;
  isAllowed: () => boolean;
  /**
   * Writes the access log entry, unless the owner previews the page. Returns false if the guest no longer has the
   * right to the table or chart, or the session has ended.
   * @param seqs empty if no individual records are shown
   */
  record: (action: string, seqs: readonly number[], paths: readonly string[]) => Promise<boolean>;
  /** Counts the read as running until the stream is closed, instead of until the response begins. */
  holdUntilClosed: (stream: Readable) => void;
  respondMissing: () => RouteResponse;
};

export type ViewReads = ReturnType<typeof createViewReads>;

const OWNER_READER = 'owner';

export const createViewReads = (parts: {
  sharedViews: Pick<SharedViewService, 'find'>;
  isSessionAlive: (sessionId: string) => boolean;
  publicReads: PublicReads;
  pages: GuestPages;
}) => {
  const { sharedViews, isSessionAlive, publicReads, pages } = parts;
  /** Number of running reads by user id or `OWNER_READER`. */
  const runningReads = new Map<string, number>();

  const beginRead = (reader: string): (() => void) | undefined => {
    const count = runningReads.get(reader) ?? 0;
    if (count >= MAX_LONG_READS) return undefined;
    runningReads.set(reader, count + 1);
    return () => {
      const remaining = (runningReads.get(reader) ?? 1) - 1;
      if (remaining === 0) runningReads.delete(reader);
      else runningReads.set(reader, remaining);
    };
  };

  return {
    /**
     * Responds with a table or chart that is shared with the guest. The right of the guest is checked before the read,
     * and again by `record` before the response is sent.
     */
    async respond<View extends GrantedView>(
      sharedViewId: string,
      { guest, headers, caller }: GuestRequest,
      isKind: (view: GrantedView) => view is View,
      work: (request: ViewRequest<View>) => Promise<RouteResponse>,
    ): Promise<RouteResponse> {
      const isPreview = guest.preview !== undefined;
      const frame = pages.frameOf(caller, headers, guest);
      const respondMissing = (): RouteResponse => pages.respond(404, headers, viewProblemPage(frame, 'missing'));
      const view = sharedViews.find(guest.userId, sharedViewId);
      if (view === undefined || !isKind(view)) return respondMissing();
      const endRead = beginRead(isPreview ? OWNER_READER : guest.userId);
      if (endRead === undefined) return pages.respond(429, headers, viewProblemPage(frame, 'busy'));
      const isAllowed = (): boolean => view.isCurrent() && (isPreview || isSessionAlive(guest.sessionId));
      const record: ViewRequest<View>['record'] = async (action, seqs, paths) => {
        if (!isAllowed()) return false;
        if (isPreview) return true;
        await publicReads.record({
          who: { kind: 'user', name: guest.userId, person: guest.name },
          action,
          consent: { kind: view.definition.kind, name: view.name, detail: guest.name },
          address: caller.address,
          records: new Map([[view.endpoint, [...seqs]]]),
          // The empty path is the whole record.
          fields: paths.includes('') ? null : paths,
          bytes: 0,
        });
        return isAllowed();
      };
      let isHeld = false;
      const holdUntilClosed = (stream: Readable): void => {
        isHeld = true;
        stream.once('close', endRead);
      };
      try {
        return await work({ view, frame, isAllowed, record, holdUntilClosed, respondMissing });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code === 'query_limit_exceeded')
          return pages.respond(400, headers, viewProblemPage(frame, 'tooLarge'));
        // The endpoint was deleted during the read.
        if (error.code === 'not_found') return respondMissing();
        throw error;
      } finally {
        if (!isHeld) endRead();
      }
    },
  };
};
