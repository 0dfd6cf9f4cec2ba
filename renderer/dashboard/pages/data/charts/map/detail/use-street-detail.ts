import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerFile } from '../../../../../../shared/api/contract.ts';
import { chosenMapFile } from '../../../../../api/files/map-file.ts';
import { DetailError, type DetailProblem } from './problem.ts';
import { type StreetDetail, streetDetail } from './street-detail.ts';

/** The chosen map file and what the map draws from it. */
export interface StreetDetailState {
  /** False until the PDA has responded. */
  isKnown: boolean;
  /** The chosen file, which may be deleted; undefined if none is chosen. */
  file: OwnerFile | undefined;
  /** Undefined while the file is opened, and if it cannot be drawn. */
  detail: StreetDetail | undefined;
  problem: DetailProblem | undefined;
  retry: () => void;
  /** Reports that a tile could not be drawn. */
  onTileError: () => void;
}

/** Loads street detail from the map file that the owner chose. */
export function useStreetDetail(): StreetDetailState {
  const chosen = useQuery(chosenMapFile);
  const file = chosen.data ?? undefined;
  const isDeleted = file !== undefined && file.deleted !== null;
  const opened = useQuery(streetDetail(isDeleted ? undefined : file));
  // A problem belongs to the file that was open when it occurred.
  const [failed, setFailed] = useState<{ detail: StreetDetail; problem: DetailProblem }>();
  const { data, error } = opened;
  const tileProblem = data !== undefined && failed?.detail === data ? failed.problem : undefined;
  const openProblem = error === null ? undefined : error instanceof DetailError ? error.problem : 'damaged';
  const problem = isDeleted ? 'deleted' : (openProblem ?? tileProblem);
  const isDrawn = !isDeleted && openProblem === undefined && problem !== 'changed';
  return {
    isKnown: chosen.isSuccess,
    file,
    detail: isDrawn ? data : undefined,
    problem,
    retry: () => {
      setFailed(undefined);
      void chosen.refetch();
      void opened.refetch();
    },
    onTileError: () => {
      if (data !== undefined) setFailed({ detail: data, problem: data.tileProblem() });
    },
  };
}
