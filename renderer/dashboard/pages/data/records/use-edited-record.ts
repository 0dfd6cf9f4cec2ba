import { useState } from 'react';

interface EditedRecord {
  /** Stored content when the edit began, or when the owner last accepted newer content. */
  original: string;
  /** True if the record was changed elsewhere. */
  isOutdated: boolean;
  /** Makes the newer stored content the original. */
  accept: () => void;
  /** Returns false if saving would replace content that the owner has not seen. */
  isCurrent: () => Promise<boolean>;
  isChecking: boolean;
}

/**
 * Detects changes that a program or another window makes to a record while the owner edits it.
 * @param storedText record as last read
 * @param fetchStoredText reads the record again
 * @param isSaving true while the owner's input is being saved, which also changes the stored content
 */
export function useEditedRecord(
  storedText: string,
  fetchStoredText: () => Promise<string>,
  isSaving: boolean,
): EditedRecord {
  const [original, setOriginal] = useState(storedText);
  const [isChecking, setIsChecking] = useState(false);
  const isCurrent = async (): Promise<boolean> => {
    setIsChecking(true);
    try {
      return (await fetchStoredText()) === storedText;
    } catch {
      // The record cannot be read. If the cause persists, saving fails too and shows the error.
      return true;
    } finally {
      setIsChecking(false);
    }
  };
  return {
    original,
    isOutdated: storedText !== original && !isSaving,
    accept: () => setOriginal(storedText),
    isCurrent,
    isChecking,
  };
}
