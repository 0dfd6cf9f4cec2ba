import { isolateText } from '../../../../../../server/wire/isolation.ts';
import type { RecordMoveRequest, RecordMoveResult } from '../../../../../../server/wire/record-moves.ts';
import { call } from '../../../../../shared/api/client.ts';
import { Problem, toProblem } from '../../../../../shared/api/problem.ts';
import { queryClient } from '../../../../../shared/api/query-client.ts';
import { runWithToast, showProblemToast, showToast } from '../../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../../shared/messages/texts.ts';
import { refreshData } from '../../../../api/queries.ts';
import { offerUndo } from '../../../../components/deletion.tsx';

const texts = m.recordTable.moves;

interface Move {
  from: string;
  to: string;
  /** Ids. */
  records: readonly string[];
}

async function moveRecords(body: RecordMoveRequest): Promise<RecordMoveResult> {
  try {
    return await call('POST /api/v2.6/owner/record-moves', { body });
  } finally {
    // After an error, some records may have been moved.
    void refreshData();
    void queryClient.invalidateQueries({ queryKey: ['record'] });
  }
}

function showProblemOf({ problem }: RecordMoveResult): void {
  if (problem !== undefined) showProblemToast(texts.incomplete, new Problem(problem.error, 0, problem.cause));
}

/**
 * Moves back those of the records that are at the target. Returns true on success.
 * @param isConfirmed false if some of the records may never have been moved; they do not count as missing
 */
function moveBack({ from, to, records }: Move, isConfirmed: boolean): Promise<boolean> {
  return runWithToast(async () => {
    const result = await moveRecords({ from: to, to: from, records: [...records], moveEqual: true });
    const { moved, missing } = result;
    showToast(texts.undone(moved.length), isConfirmed && missing > 0 ? texts.missing(missing) : undefined);
    showProblemOf(result);
  });
}

/** Returns true if the PDA may have moved records: its response was lost, or it had an internal error. */
function isUnconfirmed({ code, status }: Problem): boolean {
  return status < 400 || (status >= 500 && (code === 'internal_error' || code === 'unreadable'));
}

/** Offers to move back all of the records that are at the target. If moving them back fails, repeats the offer. */
function offerUnconfirmedUndo(move: Move): void {
  const undo = async (): Promise<void> => {
    if (!(await moveBack(move, false))) offerUnconfirmedUndo(move);
  };
  offerUndo({
    title: texts.unconfirmedMoves(move.records.length, isolateText(move.to)),
    text: texts.unconfirmedText,
    staysOpen: true,
    undo: () => void undo(),
  });
}

/**
 * Moves records, shows how many were not moved, and offers to undo the move, even if the PDA did not confirm it.
 * @throws {Problem} if the PDA refuses the request
 */
export async function moveToEndpoint({ from, to, records }: Move): Promise<void> {
  let result: RecordMoveResult;
  try {
    result = await moveRecords({ from, to, records: [...records], moveEqual: false });
  } catch (error) {
    if (!isUnconfirmed(toProblem(error))) throw error;
    showProblemToast(texts.unconfirmed, error);
    offerUnconfirmedUndo({ from, to, records });
    return;
  }
  const { moved, equal, missing } = result;
  showProblemOf(result);
  if (equal.length > 0) showToast(texts.equal(equal.length), texts.equalText(equal.length, isolateText(to)));
  if (missing > 0) showToast(texts.missing(missing));
  if (moved.length > 0)
    offerUndo({
      title: texts.done(moved.length, isolateText(to)),
      text: texts.doneText,
      color: 'teal',
      undo: () => void moveBack({ from, to, records: moved }, true),
    });
}
