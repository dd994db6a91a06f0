export interface Delivery {
  readonly scheduledTime: number;
  readonly lambdaRetries: number;
}

/** One process carrying out one delivery. */
export interface Invocation {
  readonly id: number;
  readonly delivery: Delivery;
  ended: boolean;
}
