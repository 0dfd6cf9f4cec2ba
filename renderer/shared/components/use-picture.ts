import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pictureQuery } from '../api/picture.ts';

interface FetchedPicture {
  /** Object URL; undefined until the picture is loaded, and if it is missing. */
  src: string | undefined;
  isMissing: boolean;
  /** For the image element, in case the data is not a picture. */
  onError: () => void;
}

export function usePicture(url: string, enabled = true): FetchedPicture {
  const query = useQuery({ ...pictureQuery(url), enabled: enabled && url !== '' });
  const [brokenUrl, setBrokenUrl] = useState<string>();
  const isBroken = brokenUrl === url;
  return {
    src: isBroken ? undefined : query.data,
    isMissing: url === '' || query.isError || isBroken,
    onError: () => setBrokenUrl(url),
  };
}
