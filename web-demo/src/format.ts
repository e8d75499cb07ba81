// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Numbers as words. Nothing here depends on the reader's locale, so that a reading compares with a log line.

/** "7.40 s", "1:05.20". */
export function clock(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(2)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds - minutes * 60;
  return `${minutes}:${rest < 10 ? '0' : ''}${rest.toFixed(2)}`;
}

/** For a screen reader: "1 minute 5.2 seconds". */
export function spokenClock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(1);
  return minutes > 0 ? `${minutes} minute${minutes > 1 ? 's' : ''} ${rest} seconds` : `${rest} seconds`;
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} bytes`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(count < 10240 ? 1 : 0)} KB`;
  return `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export function speedLabel(speed: number): string {
  if (speed === 0.25) return '¼×';
  if (speed === 0.5) return '½×';
  return `${speed}×`;
}

export function agents(count: number): string {
  return count === 1 ? '1 agent' : `${count} agents`;
}
