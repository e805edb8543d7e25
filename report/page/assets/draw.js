// Drawing of the timeline. s is its state: data, items, cells, view, filter.
T.GUTTER = 74;
T.HEAD = 40;

T.laneHeight = (s) => Math.max(18, Math.min(34, Math.floor(420 / Math.max(1, s.lanes.length))));
T.x = (s, t) => s.gutter + (t - s.view.from) / (s.view.to - s.view.from) * (s.width - s.gutter);
T.time = (s, x) => s.view.from + (x - s.gutter) / (s.width - s.gutter) * (s.view.to - s.view.from);

// shows tells whether an item passes the filter.
T.shows = function (s, i) {
  const it = s.items, f = s.filter, k = it.kind[i];
  if (f.lock && it.lock[i] !== f.lock && it.lock[i] !== 0) return false;
  const bad = (it.flags[i] & 3) !== 0 || k === T.KIND.lost || k === T.KIND.crash;
  if (k === T.KIND.wait) return f.kinds.wait && (!bad || f.kinds.refused);
  if (bad) return f.kinds.refused;
  switch (k) {
    case T.KIND.hold: case T.KIND.run: return f.kinds.hold;
    case T.KIND.beyond: return f.kinds.beyond;
    case T.KIND.open: case T.KIND.overtaken: return f.kinds.open;
    case T.KIND.effect: return f.kinds.plain;
    case T.KIND.read: case T.KIND.write: return it.flags[i] & T.FLAG.fenced ? f.kinds.fenced : f.kinds.plain;
  }
  return f.kinds.calls;
};

T.sizeCanvas = function (canvas, w, h) {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    canvas.style.height = h + "px";
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return c;
};

// dense tells that marks would hide each other: more than one in some pixels.
T.dense = function (s) {
  const share = (s.view.to - s.view.from) / s.data.end;
  return s.items.n * share / Math.max(1, s.data.lanes.length) / (s.width - s.gutter) > 0.12;
};

T.draw = function (s) {
  const lh = T.laneHeight(s), total = T.HEAD + s.lanes.length * lh + 8;
  s.space.style.height = total + "px";
  s.width = s.scroll.clientWidth;
  s.gutter = s.width < 500 ? 60 : T.GUTTER;
  s.height = Math.min(total, Math.max(120, Math.floor(innerHeight * 0.7)));
  const c = T.sizeCanvas(s.canvas, s.width, s.height);
  s.top = s.scroll.scrollTop;
  s.dense = T.dense(s);
  c.fillStyle = s.colors.bg;
  c.fillRect(0, 0, s.width, s.height);
  T.drawLanes(s, c, lh);
  c.save();
  c.beginPath();
  c.rect(s.gutter, 0, s.width - s.gutter, s.height);
  c.clip();
  if (s.filter.kinds.fault) T.drawBands(s, c);
  s.lanes.forEach((lane, row) => {
    const y = T.HEAD + row * lh - s.top;
    if (y + lh < T.HEAD || y > s.height) return;
    if (s.cells) T.drawCells(s, c, lane, y, lh);
    T.drawLane(s, c, lane, y, lh);
  });
  if (s.filter.kinds.anomaly) T.drawAnomalies(s, c, lh);
  c.restore();
  T.drawHead(s, c);
  T.drawCursor(s, c);
  T.drawMap(s);
};

T.drawLanes = function (s, c, lh) {
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  s.lanes.forEach((lane, row) => {
    const y = T.HEAD + row * lh - s.top;
    if (row % 2 === 0) { c.fillStyle = s.colors.lane; c.fillRect(0, y, s.width, lh); }
    c.fillStyle = s.colors.ink;
    c.textAlign = "left";
    c.fillText(s.data.lanes[lane], 6, y + lh / 2, s.gutter - 10);
  });
};

// united joins faults that overlap, or that are too near to each other to be
// told apart, so that their colours do not add up. gap is in µs.
T.united = function (faults, gap) {
  const out = [];
  for (const f of faults) {
    const last = out[out.length - 1];
    if (last && f.since <= last.to + gap) { last.from = Math.min(last.from, f.since); last.to = Math.max(last.to, f.to); }
    else out.push({ from: f.since, to: f.to });
  }
  return out;
};

T.drawBands = function (s, c) {
  const pixel = (s.view.to - s.view.from) / (s.width - s.gutter);
  c.fillStyle = s.colors["fault-band"];
  for (const f of T.united(s.data.faults, pixel)) {
    const x1 = T.x(s, f.from), x2 = Math.max(x1 + 1.5, T.x(s, f.to));
    if (x2 > s.gutter && x1 < s.width) c.fillRect(x1, T.HEAD, x2 - x1, s.height - T.HEAD);
  }
  let last = -9;
  c.fillStyle = s.colors.fault;
  for (const f of s.data.faults) {
    const x = T.x(s, f.since);
    if (x < s.gutter || x > s.width || x - last < 12) continue;
    c.fillRect(x, T.HEAD, 1.5, s.height - T.HEAD);
    last = x;
  }
};

// drawCells draws what was summed up: the height of a bar is its share.
T.drawCells = function (s, c, lane, y, lh) {
  const bins = s.data.bins, width = s.data.end / bins, k = s.filter.kinds;
  const lo = Math.max(0, Math.floor(s.view.from / width)), hi = Math.min(bins - 1, Math.ceil(s.view.to / width));
  const colors = [k.wait && s.colors.wait, k.hold && s.colors.hold, k.beyond && s.colors.beyond, k.plain && s.colors.plain, k.refused && s.colors.refused];
  for (let g = 0; g < T.GROUPS; g++) {
    if (!colors[g]) continue;
    c.fillStyle = colors[g];
    for (let b = lo; b <= hi; b++) {
      const v = s.cells[(lane * T.GROUPS + g) * bins + b];
      if (!v) continue;
      const x = T.x(s, b * width), w = Math.max(1, T.x(s, (b + 1) * width) - x), h = (lh - 6) * Math.min(1, v / 255);
      if (g < 3) c.fillRect(x, y + lh - 3 - Math.max(1, h), w, Math.max(1, h));
      else if (g === 4) c.fillRect(x, y + 2, w, 3);
    }
  }
};

T.drawLane = function (s, c, lane, y, lh) {
  const it = s.items, last = [];
  for (let i = T.lowerBound(it, lane, s.view.from - it.longest[lane]); i < it.to[lane]; i++) {
    if (it.start[i] > s.view.to) break;
    const x1 = T.x(s, it.start[i]), x2 = T.x(s, it.start[i] + it.dur[i]);
    if (x2 < s.gutter - 6 || !T.shows(s, i)) continue;
    // Far out, what falls on the pixel of its like is drawn once.
    const key = it.kind[i] * 16 + (it.flags[i] & 15), px = Math.floor(x2 * 2);
    if (x2 - x1 < 0.5 && last[key] === px) continue;
    last[key] = px;
    T.drawItem(s, c, i, x1, x2, y, lh);
  }
};

T.drawItem = function (s, c, i, x1, x2, y, lh) {
  const it = s.items, k = it.kind[i], col = s.colors, w = Math.max(1, x2 - x1), bad = (it.flags[i] & 3) !== 0;
  const mid = y + lh / 2, inset = 4 + 3 * (it.flags[i] >> 4), chosen = s.leases && s.leases.has(it.lease[i]) && it.lease[i] > 0;
  switch (k) {
    case T.KIND.wait:
      c.fillStyle = col.wait;
      c.fillRect(x1, mid - 2, w, 4);
      if (bad) T.cross(c, x2, mid, col.refused);
      return;
    case T.KIND.hold: case T.KIND.run: case T.KIND.beyond: case T.KIND.open: case T.KIND.overtaken:
      c.fillStyle = { [T.KIND.hold]: col.hold, [T.KIND.run]: col.hold, [T.KIND.beyond]: s.hatch, [T.KIND.open]: col.open, [T.KIND.overtaken]: s.openHatch }[k];
      c.fillRect(x1, y + inset, w, lh - 2 * inset);
      if (k === T.KIND.beyond || k === T.KIND.overtaken) { c.strokeStyle = k === T.KIND.beyond ? col.beyond : col.open; c.lineWidth = 1; c.strokeRect(x1 + 0.5, y + inset + 0.5, Math.max(0, w - 1), lh - 2 * inset - 1); }
      if (chosen) { c.strokeStyle = col.ink; c.lineWidth = 2; c.strokeRect(x1 - 1, y + inset - 1, w + 2, lh - 2 * inset + 2); }
      return;
    case T.KIND.read: case T.KIND.write: case T.KIND.effect:
      if (bad) { T.cross(c, x1, mid, col.refused); return; }
      if (s.dense) { c.fillStyle = it.flags[i] & T.FLAG.fenced ? col.fenced : col.plain; c.fillRect(x1, mid - 4, 1, 8); return; }
      T.access(c, x1, x2, mid, lh, it.flags[i] & T.FLAG.fenced ? col.fenced : col.plain, col.bg, k === T.KIND.read);
      return;
    case T.KIND.lost: case T.KIND.crash:
      T.cross(c, x1, mid, col.refused);
      return;
  }
  c.fillStyle = bad ? col.refused : col.calls;
  c.fillRect(x1, y + lh - 5, Math.max(2, w), 3);
};

// access marks a store operation: a write is a full mark, a read a hollow one.
T.access = function (c, x1, x2, mid, lh, color, bg, hollow) {
  const r = 3.6;
  if (x2 - x1 > 3) { c.fillStyle = color; c.fillRect(x1, mid - 0.75, x2 - x1, 1.5); }
  c.beginPath();
  c.arc(x1, mid, r, 0, 7);
  c.fillStyle = hollow ? bg : color;
  c.fill();
  c.strokeStyle = hollow ? color : bg;
  c.lineWidth = hollow ? 1.6 : 1;
  c.stroke();
};

T.cross = function (c, x, y, color) {
  c.strokeStyle = color;
  c.lineWidth = 2;
  c.beginPath();
  c.moveTo(x - 4, y - 4); c.lineTo(x + 4, y + 4);
  c.moveTo(x + 4, y - 4); c.lineTo(x - 4, y + 4);
  c.stroke();
};
