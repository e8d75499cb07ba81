// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The bar at the top: what is open, whether it is exact, and what can be done with it as a whole.
import type { SceneEntry } from '../messages';
import type { Session } from '../session';
import type { AppState, ThemeChoice } from '../state';
import { agents } from '../format';
import { h, setAttribute, setText } from './dom';
import { icon, logo, type IconName } from './icons';
import { Popover } from './popover';
import { statusPill } from './status';

export interface TopBarActions {
  openPicker(): void;
  showHelp(): void;
}

const THEMES: { choice: ThemeChoice; label: string; icon: IconName }[] = [
  { choice: 'system', label: 'Theme: as the system', icon: 'auto' },
  { choice: 'light', label: 'Theme: light', icon: 'sun' },
  { choice: 'dark', label: 'Theme: dark', icon: 'moon' },
];

function sceneMenu(session: Session, actions: TopBarActions): HTMLElement {
  const name = h('span', { class: 'run-name' });
  const purpose = h('span', { class: 'visually-hidden' }, 'Choose a scene or a file');
  const attrs = { type: 'button' };
  const button = h(
    'button',
    { class: 'run-button', title: 'Choose a scene or a file', attrs },
    name,
    icon('chevron'),
    purpose,
  );
  const popover = new Popover(button, 'Scenes', 'scene-menu');
  const pick = (action: () => void) => () => {
    popover.close();
    action();
  };
  session.store.watch(
    (state) => [state.scenes, state.run] as const,
    (scenes, run) => {
      const items = scenes.map((scene) =>
        sceneItem(
          scene,
          scene.name === run?.name,
          pick(() => session.openScene(scene.name)),
        ),
      );
      const file = h('button', {
        class: 'menu-item menu-file',
        attrs: { type: 'button' },
        on: { click: pick(actions.openPicker) },
      });
      file.append(icon('open'), h('span', {}, 'Open a replay file…'));
      popover.panel.replaceChildren(...items, h('hr'), file);
    },
  );
  session.store.watch(
    (state) => [state.run, state.opening] as const,
    (run, opening) => setText(name, opening ? `Opening ${opening}…` : (run?.title ?? 'Starting…')),
  );
  return button;
}

function sceneItem(scene: SceneEntry, current: boolean, choose: () => void): HTMLElement {
  return h(
    'button',
    {
      class: 'menu-item scene-item',
      attrs: { type: 'button', 'aria-current': String(current) },
      on: { click: choose },
    },
    h('span', { class: 'scene-title' }, scene.title),
    h('span', { class: 'scene-agents' }, agents(scene.agents)),
    h('span', { class: 'scene-about' }, scene.about),
  );
}

function iconButton(name: IconName, label: string, act: () => void, className = ''): HTMLButtonElement {
  return h(
    'button',
    { class: `icon-button ${className}`.trim(), label, attrs: { type: 'button' }, on: { click: act } },
    icon(name),
  );
}

function themeButton(session: Session): HTMLButtonElement {
  const next = () => {
    const at = THEMES.findIndex(({ choice }) => choice === session.store.get().theme);
    session.setTheme(THEMES[(at + 1) % THEMES.length]!.choice);
  };
  const button = iconButton('auto', THEMES[0]!.label, next, 'wide-only');
  session.store.watch(
    (state) => [state.theme] as const,
    (theme) => {
      const entry = THEMES.find(({ choice }) => choice === theme)!;
      button.replaceChildren(icon(entry.icon));
      setAttribute(button, 'aria-label', entry.label);
      button.title = entry.label;
    },
  );
  return button;
}

/** What does not fit beside the name on a narrow screen. */
function moreMenu(session: Session, actions: TopBarActions): HTMLElement {
  const button = h(
    'button',
    { class: 'icon-button narrow-only', label: 'More', attrs: { type: 'button' } },
    icon('more'),
  );
  const popover = new Popover(button, 'More', 'more-menu');
  const item = (name: IconName, text: string, act: () => void) => {
    const choose = () => {
      popover.close();
      act();
    };
    return h(
      'button',
      { class: 'menu-item', attrs: { type: 'button' }, on: { click: choose } },
      icon(name),
      h('span', {}, text),
    );
  };
  popover.panel.append(
    item('save', 'Save the replay', () => session.save()),
    item('open', 'Open a replay file…', actions.openPicker),
    item('mesh', 'Navigation mesh', () => session.toggleMesh()),
    h('hr'),
    ...THEMES.map(({ choice, label, icon: name }) => item(name, label, () => session.setTheme(choice))),
    h('hr'),
    item('keyboard', 'Keys and gestures', actions.showHelp),
  );
  return button;
}

export function topBar(session: Session, actions: TopBarActions): { root: HTMLElement; showScenes: () => void } {
  const scenes = sceneMenu(session, actions);
  const save = h('button', {
    class: 'button primary wide-only',
    title: 'Save the replay as a file (S)',
    attrs: { type: 'button' },
  });
  save.append(icon('save'), h('span', {}, 'Save replay'));
  save.addEventListener('click', () => session.save());
  const open = h('button', { class: 'button wide-only', title: 'Open a replay file (O)', attrs: { type: 'button' } });
  open.append(icon('open'), h('span', {}, 'Open'));
  open.addEventListener('click', actions.openPicker);
  session.store.watch(
    (state: AppState) => [state.run === null || state.total === 0] as const,
    (nothing) => (save.disabled = nothing),
  );
  const root = h(
    'header',
    { class: 'topbar' },
    h('div', { class: 'brand' }, logo(), h('h1', {}, 'crowdreel')),
    scenes,
    statusPill(session),
    h('span', { class: 'spring' }),
    open,
    save,
    themeButton(session),
    iconButton('keyboard', 'Keys and gestures (?)', actions.showHelp, 'wide-only'),
    moreMenu(session, actions),
  );
  return { root, showScenes: () => scenes.click() };
}
