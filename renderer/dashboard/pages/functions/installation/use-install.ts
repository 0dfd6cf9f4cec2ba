import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';
import { refreshFunctions, cacheFunction } from '../../../api/functions/queries.ts';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { uploadPackage, findPackageProblem } from '../../../api/functions/package-upload.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { nameOf } from '../function-text.ts';

const words = m.functions.install;

/** State of a package installation. It continues when the owner leaves the page, and is shown again on return. */
export interface Installation {
  name: string;
  size: number;
  sent: number;
  /** Reason why the file was rejected before the upload. */
  rejection: string | undefined;
  /** Error of the upload. */
  problem: unknown;
}

let current: Installation | undefined;
const listeners = new Set<() => void>();

function set(next: Installation | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useInstallation(): Installation | undefined {
  return useSyncExternalStore(subscribe, () => current);
}

export const dismissInstallation = (): void => set(undefined);

function reject(name: string, rejection: string): void {
  set({ name, size: 0, sent: 0, rejection, problem: undefined });
}

async function uploadAndTrack(file: File): Promise<OwnerFunction | undefined> {
  const { name, size } = file;
  set({ name, size, sent: 0, rejection: undefined, problem: undefined });
  try {
    const ownerFunction = await uploadPackage(file, (sent) => {
      if (current !== undefined) set({ ...current, sent });
    });
    set(undefined);
    return ownerFunction;
  } catch (problem) {
    set({ name, size, sent: 0, rejection: undefined, problem });
    return undefined;
  }
}

function showResult(ownerFunction: OwnerFunction, before: OwnerFunction | undefined): void {
  const name = nameOf(ownerFunction);
  if (before === undefined) showToast(words.done(name), words.doneText);
  else if (before.id !== ownerFunction.id) showToast(words.other(name), words.doneText);
  else
    showToast(
      words.updated(name, ownerFunction.version),
      ownerFunction.asksForMore ? words.updatedMore : words.updatedText,
    );
}

/**
 * Returns a function that installs one package and then opens the page of the installed function.
 *
 * @param before function that the package is expected to update
 */
export function useInstall(before?: OwnerFunction): (files: readonly File[]) => Promise<void> {
  const navigate = useNavigate();
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return async (files) => {
    const [file, another] = files;
    if (
      file === undefined ||
      (current !== undefined && current.rejection === undefined && current.problem === undefined)
    )
      return;
    if (another !== undefined) {
      reject(file.name, words.one);
      return;
    }
    const problem = findPackageProblem(file);
    if (problem !== undefined) {
      reject(file.name, words.unsendable[problem](file.name));
      return;
    }
    const ownerFunction = await uploadAndTrack(file);
    if (ownerFunction === undefined) return;
    cacheFunction(ownerFunction);
    showResult(ownerFunction, before);
    // Navigates only if the owner is still on this page.
    if (isMounted.current) await navigate(functionPath(ownerFunction.id));
    await refreshFunctions();
  };
}
