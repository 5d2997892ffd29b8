/**
 * Where the words of a neighbourhood stand on the drawing.
 *
 * Enter: nodes with their distance from the word in focus, edges, and the size of the frame in pixels. Leave: a point
 * in the frame for each node and the side of its label. The word in focus stands in the middle, others on a ring for
 * each distance: on the first ring words that imply each other stand side by side, on the next ones a word stands
 * outside those it hangs on. Labels point outwards, and those that would cover each other are pushed apart. Nothing
 * is drawn by lot, so a neighbourhood looks the same whenever it is looked at.
 *
 * @typedef {{name: string, frequency: number, distance: number}} GraphNode
 * @typedef {{source: string, target: string, weight: number}} GraphEdge
 * @typedef {{x: number, y: number, side: "left" | "right"}} Point
 */

const LABEL = { character: 7, height: 18, gap: 14 };
const CROWDED = 12; // from so many words on, a ring is a zigzag
const ROUNDS = 60;
const TURN = 2 * Math.PI;

/**
 * @param {GraphNode[]} nodes
 * @param {GraphEdge[]} edges
 * @param {{width: number, height: number}} frame
 * @returns {Map<string, Point>}
 */
export function place(nodes, edges, frame) {
  const ties = tiesOf(edges);
  const rings = ringsOf(nodes);
  const angles = new Map();
  rings.forEach((ring, distance) => {
    if (distance === 0) ring.forEach((name) => angles.set(name, 0));
    else if (distance === 1) spread(bySimilarity(ring, ties), 0, angles);
    else spreadOutside(ring, ties, angles);
  });
  const points = onEllipses(rings, angles, frame);
  separate(points, frame);
  return new Map(points.map(({ name, x, y, side }) => [name, { x, y, side }]));
}

/** How strongly two words hang together, in either direction. */
function tiesOf(edges) {
  const ties = new Map();
  const add = (one, other, weight) => {
    if (!ties.has(one)) ties.set(one, new Map());
    ties.get(one).set(other, (ties.get(one).get(other) ?? 0) + weight);
  };
  for (const { source, target, weight } of edges) {
    add(source, target, weight);
    add(target, source, weight);
  }
  return { between: (one, other) => ties.get(one)?.get(other) ?? 0, of: (one) => ties.get(one) ?? new Map() };
}

function ringsOf(nodes) {
  const rings = [];
  for (const { name, distance } of nodes) (rings[distance] ??= []).push(name);
  return Array.from(rings, (ring) => (ring ?? []).sort());
}

/** Order words so that each stands next to the one it hangs on most, as far as a greedy walk can see. */
function bySimilarity(names, ties) {
  const left = [...names];
  const ordered = left.splice(0, 1);
  while (left.length) {
    const strength = left.map((name) => ties.between(ordered.at(-1), name));
    ordered.push(...left.splice(strength.indexOf(Math.max(...strength)), 1));
  }
  return ordered;
}

function spread(names, first, angles) {
  names.forEach((name, at) => angles.set(name, first + (TURN * (at + 0.5)) / names.length));
}

/** Spread words evenly in the order of the directions they are drawn to, and turn the ring to come near these. */
function spreadOutside(names, ties, angles) {
  const wanted = new Map(names.map((name) => [name, direction(ties.of(name), angles)]));
  const ordered = [...names].sort((one, other) => wanted.get(one) - wanted.get(other));
  const off = ordered.map((name, at) => wanted.get(name) - (TURN * (at + 0.5)) / ordered.length);
  spread(ordered, meanAngle(off.map((angle) => [angle, 1])), angles);
}

function direction(tied, angles) {
  return meanAngle([...tied].filter(([name]) => angles.has(name)).map(([name, weight]) => [angles.get(name), weight]));
}

function meanAngle(weighted) {
  const sum = (part) => weighted.reduce((total, [angle, weight]) => total + weight * part(angle), 0);
  return Math.atan2(sum(Math.sin), sum(Math.cos));
}

/** Rings as ellipses that fill the frame, with room for the labels on both sides. */
function onEllipses(rings, angles, { width, height }) {
  const outmost = rings.length - 1;
  const labelOf = (name) => LABEL.gap + LABEL.character * [...name].length;
  const room = Math.min(width / 4, Math.max(...rings.flat().map(labelOf)));
  return rings.flatMap((ring, distance) =>
    ring.map((name) => {
      const angle = angles.get(name);
      const rank = Math.round((angle / TURN) * ring.length);
      const zigzag = ring.length >= CROWDED && rank % 2 !== 0 ? 0.84 : 1;
      const share = outmost === 0 ? 0 : (distance / outmost) ** 0.8 * zigzag;
      const x = width / 2 + share * (width / 2 - room) * Math.cos(angle);
      const y = height / 2 + share * (height / 2 - LABEL.height) * Math.sin(angle);
      return { name, x, y, side: x < width / 2 - 1 ? "left" : "right", label: labelOf(name) };
    }),
  );
}

/** Push labels apart that overlap, up and down. */
function separate(points, { height }) {
  const span = ({ x, side, label }) => (side === "right" ? [x - LABEL.gap, x + label] : [x - label, x + LABEL.gap]);
  const inside = (y) => Math.min(height - LABEL.height / 2, Math.max(LABEL.height / 2, y));
  for (let round = 0; round < ROUNDS; round++) {
    let moved = false;
    for (let one = 0; one < points.length; one++) {
      for (let other = 0; other < one; other++) {
        const [a, b] = [points[one], points[other]];
        const missing = LABEL.height - Math.abs(a.y - b.y);
        const [[a0, a1], [b0, b1]] = [span(a), span(b)];
        if (missing <= 0.5 || a0 > b1 || b0 > a1) continue;
        const by = (a.y >= b.y ? missing : -missing) / 2;
        a.y = inside(a.y + by);
        b.y = inside(b.y - by);
        moved = true;
      }
    }
    if (!moved) return;
  }
}
