import type { VNode } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';

const SHOWN_MS = 6_000;

interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'refused';
  readonly text: string;
}

/** Answers to what the person asked for; also read out. */
export function useToasts(): { readonly toasts: VNode; readonly tell: (kind: Toast['kind'], text: string) => void } {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const count = useRef(0);
  const tell = useCallback((kind: Toast['kind'], text: string) => {
    const id = ++count.current;
    setShown((toasts) => [...toasts.slice(-3), { id, kind, text }]);
    setTimeout(() => setShown((toasts) => toasts.filter((toast) => toast.id !== id)), SHOWN_MS);
  }, []);
  const toasts = (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <p key={id} class={`toast ${kind}`}>
          {text}
        </p>
      ))}
    </div>
  );
  return { toasts, tell };
}
