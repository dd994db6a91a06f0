/** Everything that tells the time. Epoch milliseconds. Nothing in the domain reads the clock: callers pass an instant in. */
export interface Clock {
  now(): number;
}
