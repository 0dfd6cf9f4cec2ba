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

/** A package on its way. It goes on when the page is left, and is found again there. */
export interface Installing {
  name: string;
  size: number;
  sent: number;
  /** Why it was not taken: in words, or as the PDA said it. */
  refused: string | undefined;
  problem: unknown;
}

let current: Installing | undefined;
const listeners = new Set<() => void>();

function set(next: Installing | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useInstalling(): Installing | undefined {
  return useSyncExternalStore(subscribe, () => current);
}

export const forgetInstalling = (): void => set(undefined);

function refuse(name: string, refused: string): void {
  set({ name, size: 0, sent: 0, refused, problem: undefined });
}

async function send(file: File): Promise<OwnerFunction | undefined> {
  const { name, size } = file;
  set({ name, size, sent: 0, refused: undefined, problem: undefined });
  try {
    const one = await uploadPackage(file, (sent) => {
      if (current !== undefined) set({ ...current, sent });
    });
    set(undefined);
    return one;
  } catch (problem) {
    set({ name, size, sent: 0, refused: undefined, problem });
    return undefined;
  }
}

function say(one: OwnerFunction, before: OwnerFunction | undefined): void {
  const name = nameOf(one);
  if (before === undefined) showToast(words.done(name), words.doneText);
  else if (before.id !== one.id) showToast(words.other(name), words.doneText);
  else showToast(words.updated(name, one.version), one.asksForMore ? words.updatedMore : words.updatedText);
}

/** Installs one package, then goes to what it is. @param before the function that it is to be another version of */
export function useInstall(before?: OwnerFunction): (files: readonly File[]) => Promise<void> {
  const navigate = useNavigate();
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return async (files) => {
    const [file, another] = files;
    if (file === undefined || (current !== undefined && current.refused === undefined && current.problem === undefined))
      return;
    if (another !== undefined) {
      refuse(file.name, words.one);
      return;
    }
    const wrong = findPackageProblem(file);
    if (wrong !== undefined) {
      refuse(file.name, words.unsendable[wrong](file.name));
      return;
    }
    const one = await send(file);
    if (one === undefined) return;
    cacheFunction(one);
    say(one, before);
    // Navigates only if the owner is still on this page.
    if (here.current) await navigate(functionPath(one.id));
    await refreshFunctions();
  };
}
