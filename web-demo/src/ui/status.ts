// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The pill that says what one is looking at: the present, the past, or a file and whether it plays exactly as recorded.
import { clock } from '../format';
import type { Session } from '../session';
import type { AppState } from '../state';
import { h, setAttribute, setText } from './dom';
import { icon, type IconName } from './icons';

type Tone = 'live' | 'past' | 'checking' | 'exact' | 'differs' | 'none';

interface Status {
  tone: Tone;
  text: string;
  /** The whole story, as a tooltip. */
  explain: string;
}

function differs(mismatch: number): Status {
  return {
    tone: 'differs',
    text: `differs from step ${mismatch}`,
    explain: 'From this step on the crowd is not in the state that was recorded. Press to go there.',
  };
}

function replayStatus({ check }: AppState): Status {
  if (!check) return { tone: 'checking', text: 'checking…', explain: '' };
  if (check.mismatch >= 0) return differs(check.mismatch);
  if (check.checked >= check.total) {
    return {
      tone: 'exact',
      text: 'exact',
      explain: `All ${check.total} steps were played again: every state hash is the recorded one.`,
    };
  }
  const percent = Math.floor((100 * check.checked) / Math.max(1, check.total));
  return {
    tone: 'checking',
    text: `checking… ${percent} %`,
    explain: `${check.checked} of ${check.total} steps checked so far.`,
  };
}

export function statusOf(state: AppState): Status {
  if (!state.run) return { tone: 'none', text: '', explain: '' };
  if (state.view === 'replay') return replayStatus(state);
  if (state.view === 'live') {
    return { tone: 'live', text: 'live', explain: 'The crowd is running now and every step is recorded.' };
  }
  if (state.check && state.check.mismatch >= 0) return differs(state.check.mismatch);
  const behind = Math.max(0, (state.total - state.step) * state.run.dt);
  return {
    tone: 'past',
    text: `${clock(behind)} ago`,
    explain: 'This is the recorded past, played again. Press to go live.',
  };
}

const TONE_ICONS: Partial<Record<Tone, IconName>> = { exact: 'check', differs: 'warning' };

export function statusPill(session: Session): HTMLElement {
  const text = h('span', { class: 'pill-text' });
  const sign = h('span', { class: 'pill-sign' });
  const pill = h('button', { class: 'pill', id: 'status', attrs: { type: 'button', 'data-tone': 'none' } }, sign, text);
  const spoken = h('span', { class: 'visually-hidden', attrs: { role: 'status' } });
  pill.addEventListener('click', () => {
    const { view, check } = session.store.get();
    if (view !== 'live' && check && check.mismatch >= 0) session.seek(check.mismatch);
    else if (view === 'past') session.goLive();
  });
  session.store.watch(
    (state) => {
      const { tone, text: words, explain } = statusOf(state);
      return [tone, words, explain] as const;
    },
    (tone, words, explain) => {
      setText(text, words);
      pill.title = explain;
      if (pill.getAttribute('data-tone') === tone) return;
      setAttribute(pill, 'data-tone', tone);
      const name = TONE_ICONS[tone];
      sign.replaceChildren(...(name ? [icon(name)] : []));
      setText(spoken, tone === 'past' ? 'watching the past' : words);
    },
  );
  return h('div', { class: 'status' }, pill, spoken);
}
