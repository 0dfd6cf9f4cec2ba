/**
 * Returns the CPU time of all threads of this process since `since`, in milliseconds. Unlike wall-clock time, it
 * does not depend on other load on the machine.
 */
export const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};
