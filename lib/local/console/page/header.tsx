import { useLayoutEffect, useState } from 'preact/hooks';
import { useNow, usePage } from './context.ts';
import { dayIn, shift, timeIn, whenIn } from './format.ts';

const SPEEDS = [1, 10, 60, 600, 3_600, 86_400];
const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

interface HeaderProps {
  readonly isConnected: boolean;
  setTimeZone(timeZone: string): void;
}

export function Header({ isConnected, setTimeZone }: HeaderProps) {
  const { model, timeZone } = usePage();
  const now = useNow(model.clock, 100);
  const zones = [
    ...new Set(['UTC', Intl.DateTimeFormat().resolvedOptions().timeZone, ...model.jobs.map((job) => job.timeZone)]),
  ];
  return (
    <header class="top">
      <h1>
        <img src="/icon.svg" alt="" width="30" height="30" />
        Belfry <span class="environment">{model.environment}</span>
      </h1>
      <div class="clock" role="timer" aria-label="The runtime's clock">
        <span class="day">{dayIn(timeZone, now)}</span>
        <time dateTime={new Date(now).toISOString()}>{timeIn(timeZone, now)}</time>
        {model.clock.jumpsTo !== undefined && (
          <span class="jump">
            <span aria-hidden="true">⇥</span> to {whenIn(timeZone, model.clock.jumpsTo, now)}
          </span>
        )}
        <label>
          <span class="hidden">Show times in</span>
          <select value={timeZone} onChange={(event) => setTimeZone(event.currentTarget.value)}>
            {zones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        </label>
      </div>
      <ClockControls now={now} />
      <div class="end">
        <span class={isConnected ? 'connection' : 'connection lost'} role="status">
          {isConnected ? 'live' : 'waiting for the runtime'}
        </span>
        <ThemeChoice />
      </div>
    </header>
  );
}

function ClockControls({ now }: { readonly now: number }) {
  const { model, order, timeZone } = usePage();
  const { paused, speed, real, nextChanges } = model.clock;
  const [isSure, setSure] = useState(false);
  /** Records are dated by the clock, and it never goes back: one that was real is asked for once. */
  const sure = () => {
    if (!real || isSure) return true;
    const answer = confirm(
      'The clock shows the real time. When it is moved, what runs is recorded ahead of time, until you start with --fresh. Move it?',
    );
    setSure(answer);
    return answer;
  };
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
  return (
    <fieldset class="controls">
      <legend class="hidden">Clock</legend>
      <button type="button" class="main" onClick={() => order({ do: paused ? 'resumeClock' : 'pauseClock' })}>
        <span aria-hidden="true">{paused ? '▶' : '❚❚'}</span> {paused ? 'Run' : 'Pause'}
      </button>
      <button
        type="button"
        title="On to the next occurrence, then stand"
        onClick={() => sure() && order({ do: 'step' })}
      >
        <span aria-hidden="true">⇥</span> Step
      </button>
      <label>
        <span class="hidden">Jump to</span>
        <select
          value=""
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = '';
            if (value !== '' && sure())
              void order({ do: 'jump', to: value.startsWith('+') ? Math.floor(now) + Number(value) : Number(value) });
          }}
        >
          <option value="">Jump to…</option>
          <option value="+3600000">in an hour</option>
          <option value="+86400000">tomorrow, this time</option>
          <option value="+604800000">in a week</option>
          {nextChanges.map((change) => (
            <option key={change.timeZone} value={String(change.at - 3_600_000)}>
              {change.timeZone}: an hour before {shift(change)} ({whenIn(timeZone, change.at, 0)})
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="hidden">Speed</span>
        <select
          value={String(speed)}
          onChange={(event) => sure() && order({ do: 'setSpeed', speed: Number(event.currentTarget.value) })}
        >
          {speeds.map((factor) => (
            <option key={factor} value={String(factor)}>
              {factor.toLocaleString('en')}×
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(() => (localStorage.getItem('theme') as Theme | null) ?? 'auto');
  useLayoutEffect(() => {
    localStorage.setItem('theme', theme);
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <label>
      <span class="hidden">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {{ auto: '◐ auto', light: '☀ light', dark: '☾ dark' }[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
