/** How a part of the server shows its numbers, which are asked for at each look; undefined is left out. */
export interface MetricRegistrar {
  counter(name: string, help: string, value: () => number): void;
  gauge(name: string, help: string, value: () => number | undefined): void;
  /** Looks again at most every 5 seconds, however often the metrics are read. */
  cached<T>(look: () => T): () => T;
}
