import { Callout } from '../../../../shared/components/callout.tsx';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.files.share;

/** Notice that files contain the place where they were taken. Renders nothing if none of them does. */
export function PlaceNotice({ files }: { files: readonly OwnerFile[] }) {
  const count = files.filter(({ picture }) => picture?.place != null).length;
  if (count === 0) return null;
  const isOnlyFile = files.length === 1;
  return (
    <Callout tone="attention" title={isOnlyFile ? words.containsPlace : words.containPlaces(count)}>
      {isOnlyFile ? words.containsPlaceText : words.containPlacesText}
    </Callout>
  );
}
