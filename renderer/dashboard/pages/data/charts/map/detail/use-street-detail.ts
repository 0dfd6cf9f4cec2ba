import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerFile } from '../../../../../../shared/api/contract.ts';
import { chosenMapFile } from '../../../../../api/files/map-file.ts';
import { DetailError, type DetailProblem } from './problem.ts';
import { type StreetDetail, streetDetail } from './street-detail.ts';

export interface StreetDetailState {
  /** True once the owner's choice of a map file has been read. */
  isLoaded: boolean;
  /** The chosen file, which may have been deleted; undefined if no file is chosen. */
  file: OwnerFile | undefined;
  /** Undefined without a file, while the file is being opened, and if the file cannot be drawn. */
  detail: StreetDetail | undefined;
  problem: DetailProblem | undefined;
  retry: () => void;
  onTileError: () => void;
}

export function useStreetDetail(): StreetDetailState {
  const choiceQuery = useQuery(chosenMapFile);
  const file = choiceQuery.data ?? undefined;
  const isDeleted = file !== undefined && file.deleted !== null;
  const detailQuery = useQuery(streetDetail(isDeleted ? undefined : file));
  // A problem belongs to the file that was open when it occurred.
  const [tileFailure, setTileFailure] = useState<{ detail: StreetDetail; problem: DetailProblem }>();
  const { data, error } = detailQuery;
  const tileProblem = data !== undefined && tileFailure?.detail === data ? tileFailure.problem : undefined;
  const openProblem = error === null ? undefined : error instanceof DetailError ? error.problem : 'damaged';
  const problem = isDeleted ? 'deleted' : (openProblem ?? tileProblem);
  const isDrawn = !isDeleted && openProblem === undefined && problem !== 'changed';
  return {
    isLoaded: choiceQuery.isSuccess,
    file,
    detail: isDrawn ? data : undefined,
    problem,
    retry: () => {
      setTileFailure(undefined);
      void choiceQuery.refetch();
      void detailQuery.refetch();
    },
    onTileError: () => {
      if (data !== undefined) setTileFailure({ detail: data, problem: data.tileProblem() });
    },
  };
}
