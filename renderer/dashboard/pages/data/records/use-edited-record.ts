import { useMemo, useState } from 'react';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { formatJson } from '../../../../shared/components/json-text.tsx';
import { record as recordQuery } from '../../../api/queries.ts';

interface EditedRecord {
  /** The content as formatted JSON, as it is stored now. */
  stored: string;
  /** The content that is being edited. */
  original: string;
  /** True if another program has changed the content that is being edited. */
  isOutdated: boolean;
  /** Makes the stored content the one that is being edited. */
  accept: () => void;
  /** Returns true if the owner has seen the content that saving would replace. */
  isCurrent: () => Promise<boolean>;
  isChecking: boolean;
}

/**
 * Compares the record of a form with the stored one, which other programs can change.
 * @param record undefined for a new record
 * @param isSaving true while the input is being saved, so that it becomes the stored content
 */
export function useEditedRecord(record: BrowsedRecord | undefined, isSaving: boolean): EditedRecord {
  const stored = useMemo(() => (record === undefined ? '' : formatJson(record.data)), [record]);
  const [original, setOriginal] = useState(stored);
  const [isChecking, setIsChecking] = useState(false);
  const isCurrent = async (): Promise<boolean> => {
    if (record === undefined) return true;
    setIsChecking(true);
    try {
      const latest = await queryClient.fetchQuery({ ...recordQuery(record.recordId), staleTime: 0 });
      return formatJson(latest.data) === stored;
    } catch {
      // Saving fails too, and reports why.
      return true;
    } finally {
      setIsChecking(false);
    }
  };
  return {
    stored,
    original,
    isOutdated: stored !== original && !isSaving,
    accept: () => setOriginal(stored),
    isCurrent,
    isChecking,
  };
}
