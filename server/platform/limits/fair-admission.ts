/**
 * Fair admission to a pool of limited size. If the pool is full, a network that would have fewer members than the
 * largest network evicts the oldest member of the latter. A single network can fill an unused pool but cannot keep
 * others out.
 */
export type FairAdmission<Member> = {
  /** Returns false if the pool is full and no network has more members than this one would have. */
  admit(network: string, member: Member): boolean;
  /** Frees the slot of a member. Has no effect if the member was evicted. */
  release(member: Member): void;
  size(): number;
};

export const createFairAdmission = <Member>(options: {
  max: number;
  onEvict: (member: Member) => void;
}): FairAdmission<Member> => {
  const { max, onEvict } = options;
  const networkOf = new Map<Member, string>();
  /** Oldest member first. */
  const membersOf = new Map<string, Set<Member>>();

  const remove = (member: Member): void => {
    const network = networkOf.get(member);
    if (network === undefined) return;
    networkOf.delete(member);
    const members = membersOf.get(network);
    members?.delete(member);
    if (members?.size === 0) membersOf.delete(network);
  };

  const findEvictionCandidate = (sizeAfterAdmission: number): Member | undefined => {
    let largest: Set<Member> | undefined;
    for (const members of membersOf.values())
      if (members.size > (largest?.size ?? sizeAfterAdmission)) largest = members;
    return largest?.values().next().value;
  };

  return {
    admit(network, member) {
      if (networkOf.size >= max) {
        const oldest = findEvictionCandidate((membersOf.get(network)?.size ?? 0) + 1);
        if (oldest === undefined) return false;
        remove(oldest);
        onEvict(oldest);
      }
      networkOf.set(member, network);
      const members = membersOf.get(network) ?? new Set();
      membersOf.set(network, members.add(member));
      return true;
    },
    release: remove,
    size: () => networkOf.size,
  };
};
