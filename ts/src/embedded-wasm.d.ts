// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Made by build.mjs from crowdreel.wasm.

/** The module as base64. */
export declare const wasmBase64: string;
