// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// splitmix64 (Steele, Lea and Flood 2014): the same seed gives the same run on every machine.

const MASK = (1n << 64n) - 1n;

export class Random {
  #state: bigint;

  constructor(seed: bigint) {
    this.#state = seed & MASK;
  }

  /** 64 random bits. */
  bits(): bigint {
    this.#state = (this.#state + 0x9e3779b97f4a7c15n) & MASK;
    let z = this.#state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  }

  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Number(this.bits() % BigInt(limit));
  }
}
