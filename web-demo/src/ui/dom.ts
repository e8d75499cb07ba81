// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Elements without markup: text stays text, whatever a file calls itself.

type Child = Node | string | null;

interface Attributes {
  class?: string;
  id?: string;
  title?: string;
  /** Accessible name, also shown as a tooltip when `title` is not given. */
  label?: string;
  hidden?: boolean;
  /** Any other attribute. */
  attrs?: Record<string, string>;
  on?: Partial<{ [K in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[K]) => void }>;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (attributes.class) element.className = attributes.class;
  if (attributes.id) element.id = attributes.id;
  if (attributes.label) element.setAttribute('aria-label', attributes.label);
  const title = attributes.title ?? attributes.label;
  if (title) element.title = title;
  if (attributes.hidden) element.hidden = true;
  for (const [name, value] of Object.entries(attributes.attrs ?? {})) element.setAttribute(name, value);
  for (const [name, listener] of Object.entries(attributes.on ?? {})) {
    element.addEventListener(name, listener as EventListener);
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute only when it changes, so that observers and style rules are left alone. */
export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** The one text field or choice that keys should go to instead of the page. */
export function takesKeys(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}
