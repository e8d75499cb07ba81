// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A panel that opens under (or above) its button and closes on Escape, a click elsewhere, or a choice.
import { h, setAttribute } from './dom';

const GAP = 8;

export class Popover {
  readonly panel: HTMLElement;

  constructor(
    private readonly button: HTMLElement,
    label: string,
    className = '',
  ) {
    this.panel = h('div', {
      class: `popover ${className}`.trim(),
      title: '',
      attrs: { role: 'group', 'aria-label': label },
    });
    this.panel.popover = 'auto';
    button.setAttribute('aria-haspopup', 'true');
    button.setAttribute('aria-expanded', 'false');
    // A press on the button while open would close the panel by itself and then open it again.
    let wasOpen = false;
    button.addEventListener('pointerdown', () => (wasOpen = this.open));
    button.addEventListener('click', (event) => {
      if (!this.panel.isConnected) button.after(this.panel);
      if (event.detail > 0 && wasOpen) this.panel.hidePopover();
      else this.panel.togglePopover();
      wasOpen = false;
    });
    this.panel.addEventListener('toggle', () => this.toggled());
    this.panel.addEventListener('keydown', (event) => this.key(event));
  }

  get open(): boolean {
    return this.panel.matches(':popover-open');
  }

  close(): void {
    if (this.open) this.panel.hidePopover();
  }

  private toggled(): void {
    setAttribute(this.button, 'aria-expanded', String(this.open));
    if (!this.open) return;
    this.place();
    this.items()[0]?.focus();
  }

  private place(): void {
    const around = this.button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.panel;
    const left = Math.min(Math.max(GAP, around.left), window.innerWidth - width - GAP);
    const below = around.bottom + GAP;
    const top = below + height > window.innerHeight - GAP ? Math.max(GAP, around.top - GAP - height) : below;
    this.panel.style.left = `${left}px`;
    this.panel.style.top = `${top}px`;
  }

  private items(): HTMLElement[] {
    return [...this.panel.querySelectorAll<HTMLElement>('button:not([hidden])')];
  }

  private key(event: KeyboardEvent): void {
    const items = this.items();
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    items[(at + step + items.length) % items.length]?.focus();
  }
}
