import type { Socket } from 'node:net';
import { networkOf, plainAddress } from './client-address.ts';

/** Puts work off to the next turns of the event loop, so much of it in each. */
export function fewInTurn<Item>(atOnce: number, work: (item: Item) => void): (item: Item) => void {
  const waiting: Item[] = [];
  const workSome = () => {
    for (const item of waiting.splice(0, atOnce)) work(item);
    if (waiting.length > 0) setImmediate(workSome);
  };
  return (item) => {
    waiting.push(item);
    if (waiting.length === 1) setImmediate(workSome);
  };
}

/** Counts open connections by network; a trusted proxy's are not counted. */
export function connectionsByNetwork(isProxy: (address: string) => boolean, atMost: number) {
  const open = new Map<string, number>();
  return {
    /** False where the network of an address has too many already. */
    take: (address: string, socket: Socket): boolean => {
      if (isProxy(address)) return true;
      const network = networkOf(plainAddress(address));
      const before = open.get(network) ?? 0;
      if (before >= atMost) return false;
      open.set(network, before + 1);
      socket.once('close', () => {
        const left = (open.get(network) ?? 1) - 1;
        if (left === 0) open.delete(network);
        else open.set(network, left);
      });
      return true;
    },
  };
}
