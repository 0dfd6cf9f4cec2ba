import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { refreshFunctions, cacheFunction } from '../../../api/functions/queries.ts';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { createStore } from '../../../../shared/api/store.ts';
import { uploadPackage, findPackageProblem } from '../../../api/functions/package-upload.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { nameOf } from '../function-text.ts';
import { isOn } from '../status/state.ts';

const texts = m.functions.install;

/** State of an installation. It continues after the owner leaves the page, which shows it again on return. */
interface Installation {
  name: string;
  /** In bytes. */
  size: number;
  /** In bytes. */
  sent: number;
  /** Why the file was rejected before the upload. */
  rejection: string | undefined;
  problem: unknown;
}

const installation = createStore<Installation | undefined>(undefined);

export const useInstallation = installation.useValue;

export const dismissInstallation = (): void => installation.set(undefined);

function reject(name: string, rejection: string): void {
  installation.set({ name, size: 0, sent: 0, rejection, problem: undefined });
}

async function uploadAndTrack(file: File): Promise<OwnerFunction | undefined> {
  const { name, size } = file;
  installation.set({ name, size, sent: 0, rejection: undefined, problem: undefined });
  try {
    const ownerFunction = await uploadPackage(file, (sent) => {
      const current = installation.get();
      if (current !== undefined) installation.set({ ...current, sent });
    });
    installation.set(undefined);
    return ownerFunction;
  } catch (problem) {
    installation.set({ name, size, sent: 0, rejection: undefined, problem });
    return undefined;
  }
}

function showResult(ownerFunction: OwnerFunction, previous: OwnerFunction | undefined): void {
  const name = nameOf(ownerFunction);
  const updateText = ownerFunction.asksForMore ? texts.updatedMore : texts.updatedText;
  const text = isOn(ownerFunction) ? updateText : texts.doneText;
  if (previous === undefined) showToast(texts.done(name), text);
  else if (previous.id !== ownerFunction.id) showToast(texts.differentFunction(name), text);
  else showToast(texts.updated(name, ownerFunction.version), text);
}

/**
 * Returns a callback that installs a package and then opens the page of its function, if the owner has not left this
 * page. The callback does nothing while another package is being installed.
 * @param previous function that the package should update
 */
export function useInstall(previous?: OwnerFunction): (files: readonly File[]) => Promise<void> {
  const navigate = useNavigate();
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return async (files) => {
    const [file, secondFile] = files;
    const current = installation.get();
    const isInstalling = current !== undefined && current.rejection === undefined && current.problem === undefined;
    if (file === undefined || isInstalling) return;
    if (secondFile !== undefined) {
      reject(file.name, texts.onlyOne);
      return;
    }
    const problem = findPackageProblem(file);
    if (problem !== undefined) {
      reject(file.name, texts.unsendable[problem](file.name));
      return;
    }
    const ownerFunction = await uploadAndTrack(file);
    if (ownerFunction === undefined) return;
    cacheFunction(ownerFunction);
    showResult(ownerFunction, previous);
    if (isMounted.current) await navigate(functionPath(ownerFunction.id));
    await refreshFunctions();
  };
}
