import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';

interface Content {
  src: string | undefined;
  /** What is there cannot be shown. */
  isBroken: boolean;
  onError: () => void;
}

function hasExpired(address: string): boolean {
  const expires = Number(new URL(address).searchParams.get('expires'));
  return expires > 0 && expires <= Date.now();
}

/**
 * Address of a file's content. It stays the same while its file is shown, whatever newer ones come with the list: another
 * address would begin a film anew. One that has expired is exchanged when it fails.
 */
export function useContent({ file: { fileId, contentUrl } }: OwnerFile): Content {
  const [src, setSrc] = useState(contentUrl);
  const [isBroken, setBroken] = useState(contentUrl === undefined);
  const onError = () => {
    if (src === undefined || !hasExpired(src)) {
      setBroken(true);
      return;
    }
    queryClient.fetchQuery({ ...ownerFile(fileId), staleTime: 0 }).then(
      (now) => setSrc(now.file.contentUrl),
      () => setBroken(true),
    );
  };
  return { src: isBroken ? undefined : src, isBroken, onError };
}
