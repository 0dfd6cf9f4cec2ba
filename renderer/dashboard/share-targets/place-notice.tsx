import { useQuery } from '@tanstack/react-query';
import { Callout } from '../../shared/components/callout.tsx';
import { LoadError } from '../../shared/feedback/states.tsx';
import { m } from '../../shared/messages/texts.ts';
import { placeCounts, type SharedContent } from '../api/files/queries.ts';

const texts = m.files.share;

/** Warns that shared pictures contain, or may contain, the place where they were taken. */
export function PlaceNotice({ content }: { content: SharedContent }) {
  const query = useQuery(placeCounts(content));
  if (query.isPending) return null;
  if (query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  const { pictures, places, complete } = query.data;
  if (places > 0) {
    const isOnlyFile = content.fileIds?.length === 1;
    const title = complete ? texts.containPlaces(places, pictures) : texts.containPlacesAtLeast(places);
    return (
      <Callout tone="attention" title={isOnlyFile ? texts.containsPlace : title}>
        {isOnlyFile ? texts.containsPlaceText : texts.containPlacesText}
      </Callout>
    );
  }
  if (complete) return null;
  return (
    <Callout tone="attention" title={texts.mayContainPlaces}>
      {texts.mayContainPlacesText}
    </Callout>
  );
}
