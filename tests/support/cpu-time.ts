/**
 * Returns the CPU time of all threads of this process since `start`, in milliseconds. Unlike wall-clock time, CPU time
 * hardly depends on other load on the machine.
 */
export const cpuMs = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};
