import { expect, test } from 'vitest';
import { declaredProps } from '../support/declared-props.ts';

test('each property of a declaration is explained, and says what happens without it', () => {
  const props = declaredProps();
  expect(props.length).toBeGreaterThan(60);
  const silent = props.filter(({ comment }) => !/\/\*\*\s*(\*\s*)?[^@\s*]/.test(comment));
  expect(silent.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
  const openEnded = props.filter(({ isOptional, comment }) => isOptional && !comment.includes('@default'));
  expect(openEnded.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
});
