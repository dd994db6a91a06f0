import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleJob } from '../console-state.ts';
import { usePage } from './context.ts';
import { DAY_MS } from './model.ts';

interface DialogProps {
  readonly title: string;
  readonly doing: string;
  /** Returns whether it was done. */
  submit(): Promise<boolean>;
  close(): void;
  readonly children: ComponentChildren;
}

/** A modal question. The browser keeps the focus inside, closes it on Escape, and gives the focus back. */
function Dialog({ title, doing, submit, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef(document.activeElement);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (opener.current instanceof HTMLElement) opener.current.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={close} onCancel={close}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (await submit()) close();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {children}
        <div class="dialog-buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="main">
            {doing}
          </button>
        </div>
      </form>
    </dialog>
  );
}

export function PauseDialog({ job, close }: { readonly job: ConsoleJob; close(): void }) {
  const { order } = usePage();
  const [note, setNote] = useState('');
  return (
    <Dialog
      title={`Pause ${job.name}`}
      doing="Pause"
      close={close}
      submit={() => order({ do: 'pause', job: job.name, note })}
    >
      <p>
        What is due from now on is recorded as skipped, until somebody resumes the job. A run that has begun goes on.
      </p>
      <label class="field">
        Why
        <input
          required
          maxLength={200}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
          placeholder="the supplier's API is down"
        />
      </label>
    </Dialog>
  );
}

/** Whole minutes in UTC, as an input of that type has them. */
function inputValue(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

export function BackfillDialog({ job, close }: { readonly job: ConsoleJob; close(): void }) {
  const { model, order } = usePage();
  const [from, setFrom] = useState(() => inputValue(model.clock.now - DAY_MS));
  const [to, setTo] = useState(() => inputValue(model.clock.now));
  const submit = () => order({ do: 'backfill', job: job.name, from: Date.parse(`${from}Z`), to: Date.parse(`${to}Z`) });
  return (
    <Dialog title={`Backfill ${job.name}`} doing="Run them" close={close} submit={submit}>
      <p>Runs what was due in this time and has no outcome yet. What has one is left as it is.</p>
      <label class="field">
        After (UTC)
        <input type="datetime-local" required value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
      </label>
      <label class="field">
        Up to (UTC)
        <input type="datetime-local" required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
