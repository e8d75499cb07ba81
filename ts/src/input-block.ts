// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Arrays on their way into the engine, laid out in its input block.
import type { NumberArray } from './memory.js';
import type { Native } from './native.js';

/** An array to place; `address` holds after `InputBlock.place`. 0: there is none. */
export interface Placed {
  address: number;
}

interface Part extends Placed {
  size: number;
  write: (address: number) => void;
}

/** Collects arrays, then places them all in one block. */
export class InputBlock {
  readonly #native: Native;
  readonly #parts: Part[] = [];

  constructor(native: Native) {
    this.#native = native;
  }

  /** Something of `size` bytes, written once its address (a multiple of 8) is known. */
  add(size: number, write: (address: number) => void): Placed {
    const part = { address: 0, size, write };
    this.#parts.push(part);
    return part;
  }

  doubles(values: NumberArray): Placed {
    return this.add(values.length * 8, (address) => this.#native.memory.writeF64(address, values));
  }

  words(values: NumberArray): Placed {
    return this.add(values.length * 4, (address) => this.#native.memory.writeU32(address, values));
  }

  halves(values: NumberArray | undefined): Placed {
    if (!values) return { address: 0 };
    return this.add(values.length * 2, (address) => this.#native.memory.writeU16(address, values));
  }

  bytes(values: NumberArray | undefined): Placed {
    if (!values) return { address: 0 };
    return this.add(values.length, (address) => this.#native.memory.writeBytes(address, values));
  }

  /** Writes all parts and returns the size of the block. */
  place(): number {
    const size = this.#parts.reduce((sum, part) => sum + rounded(part.size), 0);
    let at = this.#native.call(this.#native.exports.crw_input(size));
    for (const part of this.#parts) {
      part.address = at;
      part.write(at);
      at += rounded(part.size);
    }
    return size;
  }
}

function rounded(size: number): number {
  return Math.ceil(size / 8) * 8;
}
