/**
 * Room that many share, when it is full: who comes from a network that has less of it than another gets a place, and the oldest of the network that has the most
 * makes room. So one stranger can fill it while nobody else wants in, and keeps nobody out.
 */
export type FairAdmission<Member> = {
  /** Takes a guest in. @returns false when there is no room, and nobody who has more than they would */
  admit(network: string, guest: Member): boolean;
  release(guest: Member): void;
  size(): number;
};

/** @param drop what becomes of who makes room: they are out already */
export const createFairAdmission = <Member>(options: {
  max: number;
  onEvict: (guest: Member) => void;
}): FairAdmission<Member> => {
  const { max: most, onEvict: drop } = options;
  const networkOf = new Map<Member, string>();
  /** Guests of each network, the oldest first. */
  const guestsOf = new Map<string, Set<Member>>();

  const leave = (guest: Member): void => {
    const network = networkOf.get(guest);
    if (network === undefined) return;
    networkOf.delete(guest);
    const guests = guestsOf.get(network);
    guests?.delete(guest);
    if (guests?.size === 0) guestsOf.delete(network);
  };

  /** The oldest guest of the network with the most, where it has so many that a newcomer's would still have fewer. */
  const evictionCandidate = (than: number): Member | undefined => {
    let largest: Set<Member> | undefined;
    for (const guests of guestsOf.values()) if (guests.size > (largest?.size ?? than)) largest = guests;
    return largest?.values().next().value;
  };

  return {
    admit(network, guest) {
      if (networkOf.size >= most) {
        const oldest = evictionCandidate((guestsOf.get(network)?.size ?? 0) + 1);
        if (oldest === undefined) return false;
        leave(oldest);
        drop(oldest);
      }
      networkOf.set(guest, network);
      const guests = guestsOf.get(network) ?? new Set();
      guestsOf.set(network, guests.add(guest));
      return true;
    },
    release: leave,
    size: () => networkOf.size,
  };
};
