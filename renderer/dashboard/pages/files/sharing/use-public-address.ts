import { useQuery } from '@tanstack/react-query';
import { owner } from '../../../api/queries.ts';

/** Where others reach this PDA; while it has no public address, where it is looked at now. */
export function useAddress(): { base: string; isPublic: boolean } {
  const publicUrl = useQuery(owner).data?.publicUrl ?? null;
  return publicUrl === null
    ? { base: location.origin, isPublic: false }
    : { base: publicUrl.replace(/\/+$/, ''), isPublic: true };
}
