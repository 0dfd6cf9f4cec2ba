/** Returns one import cycle per strongly connected component: the shortest cycle through its first file by name. */
export function findImportCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const reportedFiles = new Set<string>();
  for (const file of [...imports.keys()].toSorted()) {
    if (reportedFiles.has(file)) continue;
    const cycle = shortestCycle(file, imports);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const member of componentOf(file, imports)) reportedFiles.add(member);
  }
  return cycles;
}

function shortestCycle(start: string, imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const predecessors = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of imports.get(file) ?? []) {
      if (next === start) {
        const cycle = [file];
        for (let previous = predecessors.get(file); previous !== undefined; previous = predecessors.get(previous))
          cycle.unshift(previous);
        return cycle;
      }
      if (predecessors.has(next)) continue;
      predecessors.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

/** Returns the file's strongly connected component: all files that it reaches and that reach it. */
function componentOf(file: string, imports: ReadonlyMap<string, readonly string[]>): string[] {
  const reachableFiles = filesReachableFrom(file, imports);
  return [...reachableFiles].filter((candidate) => filesReachableFrom(candidate, imports).has(file));
}

function filesReachableFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reachableFiles = new Set<string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of imports.get(file) ?? []) {
      if (reachableFiles.has(next)) continue;
      reachableFiles.add(next);
      queue.push(next);
    }
  }
  return reachableFiles;
}
