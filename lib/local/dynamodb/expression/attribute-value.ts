/** A value as the DynamoDB API carries it: `{ "S": "text" }`, `{ "N": "1" }`... with one key, its type. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly AttributeValue[];
  readonly M?: Readonly<Record<string, AttributeValue>>;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
}

export type Item = Readonly<Record<string, AttributeValue>>;
export type ValueType = keyof AttributeValue;
export type SetType = 'SS' | 'NS' | 'BS';

export function typeOf(value: AttributeValue): ValueType | undefined {
  for (const type in value) return type as ValueType;
  return undefined;
}

export function setTypeOf(value: AttributeValue): SetType | undefined {
  const type = typeOf(value);
  return type === 'SS' || type === 'NS' || type === 'BS' ? type : undefined;
}

/** Deep equality; sets without regard to order, numbers by value. */
export function sameValue(left: AttributeValue, right: AttributeValue): boolean {
  const type = typeOf(left);
  if (type === undefined || type !== typeOf(right)) return false;
  const set = setTypeOf(left);
  if (set !== undefined) {
    const other = (right[set] ?? []).map((member) => canonical(set, member));
    const own = (left[set] ?? []).map((member) => canonical(set, member));
    return own.length === other.length && own.every((member) => other.includes(member));
  }
  if (type === 'N') return compareNumbers(left.N ?? '', right.N ?? '') === 0;
  if (type === 'L') {
    const other = right.L ?? [];
    return (left.L ?? []).length === other.length && (left.L ?? []).every((one, i) => same(one, other[i]));
  }
  if (type === 'M') {
    const [own, other] = [left.M ?? {}, right.M ?? {}];
    const names = Object.keys(own);
    return names.length === Object.keys(other).length && names.every((name) => same(own[name], other[name]));
  }
  return left[type] === right[type];
}

function same(left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  return left !== undefined && right !== undefined && sameValue(left, right);
}

export function canonical(type: SetType, member: string): string {
  return type === 'NS' ? normalized(member) : member;
}

/** Below, equal or above zero; undefined when the two have no order (other types, or not S, N, B). */
export function order(left: AttributeValue, right: AttributeValue): number | undefined {
  if (left.N !== undefined && right.N !== undefined) return compareNumbers(left.N, right.N);
  if (left.S !== undefined && right.S !== undefined) return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S));
  if (left.B !== undefined && right.B !== undefined) {
    return Buffer.compare(Buffer.from(left.B, 'base64'), Buffer.from(right.B, 'base64'));
  }
  return undefined;
}

/** A decimal number without rounding: `digits * 10 ** -scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function decimal(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text.trim()) ?? [];
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction || ''}` || '0');
  return { digits, scale: fraction.length - Number(exponent) };
}

function align(left: Decimal, right: Decimal): { left: bigint; right: bigint; scale: number } {
  const scale = Math.max(left.scale, right.scale);
  const grow = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own);
  return { left: grow(left), right: grow(right), scale };
}

/** Whole, and with few enough digits that JavaScript's numbers neither round it nor its sums. */
const SMALL = /^(?:0|-?[1-9]\d{0,14})$/;

export function compareNumbers(left: string, right: string): number {
  if (SMALL.test(left) && SMALL.test(right)) return Math.sign(Number(left) - Number(right));
  const aligned = align(decimal(left), decimal(right));
  return aligned.left < aligned.right ? -1 : aligned.left > aligned.right ? 1 : 0;
}

export function addNumbers(left: string, right: string, sign: 1 | -1): string {
  if (SMALL.test(left) && SMALL.test(right)) return String(Number(left) + sign * Number(right));
  const aligned = align(decimal(left), decimal(right));
  return written({ digits: aligned.left + BigInt(sign) * aligned.right, scale: aligned.scale });
}

export function normalized(text: string): string {
  return written(decimal(text));
}

function written({ digits, scale }: Decimal): string {
  const negative = digits < 0n;
  let text = (negative ? -digits : digits).toString();
  if (scale < 0) text += '0'.repeat(-scale);
  if (scale > 0) {
    text = text.padStart(scale + 1, '0');
    text = `${text.slice(0, -scale)}.${text.slice(-scale)}`.replace(/\.?0+$/, '');
  }
  return negative && text !== '0' ? `-${text}` : text;
}
