// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Writes tests/scenes/*.scene. The files are the data (golden hashes depend on them): run this only to change a scene.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../tests/scenes/', import.meta.url));

/** mulberry32: the generator's own random numbers, so that running it again gives the same files. */
function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const fix = (v) => String(Math.round(v * 1000) / 1000);

class SceneText {
  constructor(name, title, about, { rate = 60, steps = 600 } = {}) {
    this.name = name;
    this.lines = [
      'crowdreel-scene 1',
      `name ${name}`,
      `title ${title}`,
      `about ${about}`,
      `rate ${rate}`,
      `steps ${steps}`,
    ];
  }
  line(...words) {
    this.lines.push(words.map((w) => (typeof w === 'number' ? fix(w) : w)).join(' '));
    return this;
  }
  agent(group, preset, position, goals, { cycle = false, options = {} } = {}) {
    this.line('agent', group, preset, ...position);
    for (const [name, value] of Object.entries(options)) this.line('option', name, value);
    for (const goal of goals) this.line('goal', ...goal);
    if (cycle) this.line('cycle');
    return this;
  }
  save() {
    writeFileSync(folder + this.name + '.scene', this.lines.join('\n') + '\n');
  }
}

/** `count` places on a jittered grid filling the rectangle, row by row. */
function places(count, x0, z0, x1, z1, rnd, jitter = 0.3) {
  const cols = Math.max(1, Math.round(Math.sqrt((count * (x1 - x0)) / (z1 - z0))));
  const rows = Math.ceil(count / cols);
  const dx = (x1 - x0) / cols;
  const dz = (z1 - z0) / rows;
  return Array.from({ length: count }, (_, i) => {
    const x = x0 + (i % cols) * dx + dx * (0.5 + (rnd() - 0.5) * jitter);
    const z = z0 + Math.floor(i / cols) * dz + dz * (0.5 + (rnd() - 0.5) * jitter);
    return [x, 0, z];
  });
}

function crossing() {
  const s = new SceneText('crossing', 'Open crossing', 'Two streams of fifty cross on an open square and come back.');
  s.line('setting', 'cellSize', 0.3);
  s.line('ground', -32, -32, 32, 32, 0);
  const rnd = random(1);
  for (const [x, , z] of places(50, -28, -8, -12, 8, rnd))
    s.agent(
      0,
      'humanoid',
      [x, 0, z],
      [
        [x + 40, 0, z],
        [x, 0, z],
      ],
      { cycle: true },
    );
  for (const [x, , z] of places(50, -8, -28, 8, -12, rnd))
    s.agent(
      4,
      'humanoid',
      [x, 0, z],
      [
        [x, 0, z + 40],
        [x, 0, z],
      ],
      { cycle: true },
    );
  s.save();
}

function door() {
  const s = new SceneText(
    'door',
    'Two rooms and a door',
    'Forty people want through one door, all at once, and back again.',
  );
  s.line('setting', 'cellSize', 0.2).line('setting', 'agentRadius', 0.4);
  s.line('ground', -21, -10, 21, 10, 0);
  s.line('wall', -0.5, 0, -10, 0.5, 2.6, -1.2).line('wall', -0.5, 0, 1.2, 0.5, 2.6, 10);
  const rnd = random(2);
  const options = { radius: 0.4 };
  places(40, -17, -8, -4, 8, rnd).forEach(([x, , z], i) => {
    s.agent(
      i % 2 ? 1 : 5,
      'humanoid',
      [x, 0, z],
      [
        [-x, 0, z],
        [x, 0, z],
      ],
      { cycle: true, options },
    );
  });
  s.save();
}

function ring() {
  const s = new SceneText('ring', 'Ring', 'Fifty stand on a circle; everyone wants to stand exactly opposite.');
  s.line('setting', 'cellSize', 0.3);
  s.line('ground', -24, -24, 24, 24, 0);
  for (let i = 0; i < 50; i++) {
    const angle = (i * 2 * Math.PI) / 50;
    const [x, z] = [16 * Math.cos(angle), 16 * Math.sin(angle)];
    s.agent(
      Math.floor((i * 8) / 50),
      'humanoid',
      [x, 0, z],
      [
        [-x, 0, -z],
        [x, 0, z],
      ],
      { cycle: true, options: { radius: 0.5 } },
    );
  }
  s.save();
}

function plaza() {
  const s = new SceneText('plaza', 'Plaza', 'Four streams cross a plaza of pillars round a fountain.', { steps: 600 });
  s.line('setting', 'cellSize', 0.25).line('setting', 'agentRadius', 0.5);
  s.line('ground', -40, -40, 40, 40, 0);
  s.line('wall', -3, 0, -3, 3, 1.1, 3);
  for (const [x, z] of [
    [-12, -12],
    [12, -12],
    [-12, 12],
    [12, 12],
    [0, -16],
    [0, 16],
    [-16, 0],
    [16, 0],
  ])
    s.line('wall', x - 0.9, 0, z - 0.9, x + 0.9, 4.5, z + 0.9);
  for (const [x, z] of [
    [-22, -22],
    [22, -22],
    [-22, 22],
    [22, 22],
  ])
    s.line('wall', x - 4, 0, z - 4, x + 4, 2.2, z + 4);
  const rnd = random(4);
  const options = () => ({ radius: 0.45, maxSpeed: Math.round((1.5 + rnd() * 1.2) * 100) / 100 });
  const streams = [
    [0, (u, v) => [-36 + u * 16, 0, -9 + v * 18], 56, 0],
    [2, (u, v) => [36 - u * 16, 0, -9 + v * 18], -56, 0],
    [5, (u, v) => [-9 + v * 18, 0, -36 + u * 16], 0, 56],
    [6, (u, v) => [-9 + v * 18, 0, 36 - u * 16], 0, -56],
  ];
  for (const [group, at, dx, dz] of streams) {
    for (const [u, , v] of places(40, 0, 0, 1, 1, rnd, 0.5)) {
      let [x, , z] = at(u, v);
      if (Math.abs(x) < 18.5 && Math.abs(x) > 13.5 && Math.abs(z) < 2.5) z += z < 0 ? -2.5 : 2.5;
      if (Math.abs(z) < 18.5 && Math.abs(z) > 13.5 && Math.abs(x) < 2.5) x += x < 0 ? -2.5 : 2.5;
      s.agent(
        group,
        'humanoid',
        [x, 0, z],
        [
          [x + dx, 0, z + dz],
          [x, 0, z],
        ],
        { cycle: true, options: options() },
      );
    }
  }
  s.save();
}

/** A two-storey level: rooms, a hall with pillars, a gallery reached by two ramps and a bridge over the hall. */
function level() {
  const s = new SceneText(
    'level',
    'Station',
    'Sixty people on two floors with ramps, a bridge and rooms; some leave, some come.',
  );
  s.line('setting', 'cellSize', 0.25)
    .line('setting', 'agentRadius', 0.5)
    .line('setting', 'walkableClimb', 0.6)
    .line('setting', 'tileCells', 64);
  s.line('ground', -30, -20, 30, 20, 0);
  // Outer wall of two rooms on the west side, with doors.
  s.line('wall', -14.4, 0, -20, -14, 3, -12)
    .line('wall', -14.4, 0, -8, -14, 3, 8)
    .line('wall', -14.4, 0, 12, -14, 3, 20);
  s.line('wall', -30, 0, -0.2, -20, 3, 0.2).line('wall', -17, 0, -0.2, -14, 3, 0.2);
  for (const x of [-8, 0, 8]) for (const z of [-8, 8]) s.line('wall', x - 0.6, 0, z - 0.6, x + 0.6, 3.2, z + 0.6);
  // Gallery at 4 m along the east side and a bridge across the hall; ramps at both ends.
  s.line('box', 20, 3.6, -20, 30, 4, 20);
  s.line('box', 6, 3.6, -2.5, 20, 4, 2.5);
  s.line('box', -4, 3.6, -2.5, 6, 4, 2.5);
  s.line('quad', -12, 0, -2.5, -12, 0, 2.5, -4, 4, 2.5, -4, 4, -2.5);
  s.line('quad', 20, 4, 14, 12, 0, 14, 12, 0, 18, 20, 4, 18);
  const rnd = random(5);
  const clear = ([x, , z]) => {
    if (x > -12.8 && x < -3.2 && Math.abs(z) < 3.4) return false;
    if (x > 11 && x < 20.8 && z > 13 && z < 19) return false;
    if (Math.abs(x + 14.2) < 1.2 || (x < -13 && Math.abs(z) < 1.2)) return false;
    for (const px of [-8, 0, 8])
      for (const pz of [-8, 8]) if (Math.abs(x - px) < 1.8 && Math.abs(z - pz) < 1.8) return false;
    return true;
  };
  const spot = () => {
    for (;;) {
      const upstairs = rnd() < 0.3;
      const p = upstairs ? [21 + rnd() * 8, 4, -19 + rnd() * 38] : [-29 + rnd() * 58, 0, -19 + rnd() * 38];
      if (upstairs || clear(p)) return p;
    }
  };
  const starts = [];
  while (starts.length < 60) {
    const p = spot();
    if (starts.every((q) => Math.hypot(p[0] - q[0], p[2] - q[2]) > 1.3 || Math.abs(p[1] - q[1]) > 1)) starts.push(p);
  }
  starts.forEach((p, i) => {
    const goals = [spot(), spot(), spot(), spot()];
    s.agent(i % 8, i % 5 === 4 ? 'small' : 'humanoid', p, goals, {
      cycle: true,
      options: i % 5 === 4 ? {} : { radius: 0.45 },
    });
  });
  s.line('at', 90, 'stop', 3);
  s.line('at', 120, 'remove', 7);
  s.line('at', 150, 'add', 7, 'humanoid', -27, 0, -17);
  s.line('goal', 25, 4, 10).line('goal', -27, 0, 17);
  s.line('at', 200, 'teleport', 11, 25, 4, -15);
  s.line('at', 240, 'send', 3, 0, 0, 15);
  s.line('at', 300, 'remove', 20).line('at', 300, 'remove', 21);
  s.line('at', 360, 'add', 2, 'small', 2, 0, 12);
  s.line('goal', -25, 0, 10);
  s.save();
}

crossing();
door();
ring();
plaza();
level();
