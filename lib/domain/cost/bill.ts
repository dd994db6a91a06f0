import { PRICED_ITEMS, PRICES, type PricedItem, usdOf } from './price-table.ts';

/** How much of what is used in a month. What is left out is not used. */
export type Usage = Readonly<Partial<Record<PricedItem, number>>>;

export interface BillLine {
  readonly item: PricedItem;
  readonly label: string;
  readonly quantity: number;
  readonly usd: number;
}

/** A month's bill in US dollars. */
export interface Bill {
  /** One for each thing that is used, in the order of the price table. */
  readonly lines: readonly BillLine[];
  readonly usd: number;
}

/** Prices a month's usage. */
export function billOf(usage: Usage): Bill {
  const lines = PRICED_ITEMS.flatMap((item): BillLine[] => {
    const quantity = usage[item] ?? 0;
    return quantity === 0 ? [] : [{ item, label: PRICES[item].label, quantity, usd: usdOf(item, quantity) }];
  });
  return { lines, usd: lines.reduce((total, line) => total + line.usd, 0) };
}

/**
 * What a part of the whole costs: its share of each line. So the parts add up to the whole, although some prices fall with
 * the quantity.
 */
export function shareOf(part: Usage, whole: Usage): number {
  return PRICED_ITEMS.reduce((usd, item) => {
    const [quantity, all] = [part[item] ?? 0, whole[item] ?? 0];
    return all === 0 ? usd : usd + (usdOf(item, all) * quantity) / all;
  }, 0);
}

export function addUsage(...usages: readonly Usage[]): Usage {
  const total: Partial<Record<PricedItem, number>> = {};
  for (const usage of usages) {
    for (const item of PRICED_ITEMS) {
      const quantity = usage[item];
      if (quantity !== undefined) total[item] = (total[item] ?? 0) + quantity;
    }
  }
  return total;
}
