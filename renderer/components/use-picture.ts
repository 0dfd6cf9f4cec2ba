import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { picture } from '../api/debits.ts';

interface FetchedPicture {
  /** What to show; none while it is on its way, or when there is none to be had. */
  src: string | undefined;
  isMissing: boolean;
  /** For the image itself, which may find that these bytes are no picture. */
  onError: () => void;
}

/** A picture that somebody else named, fetched by the PDA: whoever put it there does not learn who looks. */
export function usePicture(url: string, wanted = true): FetchedPicture {
  const found = useQuery({ ...picture(url), enabled: wanted && url !== '' });
  const [broken, setBroken] = useState(false);
  return {
    src: broken ? undefined : found.data,
    isMissing: url === '' || found.isError || broken,
    onError: () => setBroken(true),
  };
}
