import { STATUS_SIGNS, STATUS_WORDS } from './format.ts';

export function Status({ status }: { readonly status: string }) {
  return (
    <span class={`status ${status}`}>
      <span aria-hidden="true">{STATUS_SIGNS[status] ?? ''}</span> {STATUS_WORDS[status] ?? status}
    </span>
  );
}
