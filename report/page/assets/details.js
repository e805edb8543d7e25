// The head of the timeline, its anomalies, the map, and the details of one item.
T.drawAnomalies = function (s, c, lh) {
  for (const a of s.data.anomalies) {
    if (!T.showsAnomaly(s, a)) continue;
    const x = T.x(s, a.time), chosen = s.anomaly === a.id;
    if (x < s.gutter - 8 || x > s.width + 8) continue;
    c.strokeStyle = c.fillStyle = s.colors.anomaly;
    c.lineWidth = chosen ? 2 : 1;
    if (chosen) {
      for (const lane of a.lanes) {
        const row = s.lanes.indexOf(lane);
        if (row >= 0) { c.globalAlpha = 0.14; c.fillRect(T.x(s, a.from), T.HEAD + row * lh - s.top, Math.max(2, T.x(s, a.to) - T.x(s, a.from)), lh); c.globalAlpha = 1; }
      }
    }
    c.setLineDash(chosen ? [] : [2, 3]);
    c.beginPath(); c.moveTo(x, T.HEAD); c.lineTo(x, s.height); c.stroke();
    c.setLineDash([]);
  }
};

T.showsAnomaly = (s, a) => (!s.filter.anomaly || a.kind === s.filter.anomaly) && (!s.filter.lock || !a.lock || a.lock === s.filter.lock);

// drawHead draws the axis, the names of the faults and the anomalies' marks
// over the lanes, which scroll below it.
T.drawHead = function (s, c) {
  c.fillStyle = s.colors.bg;
  c.fillRect(0, 0, s.width, T.HEAD);
  c.save();
  c.beginPath(); c.rect(s.gutter - 1, 0, s.width - s.gutter + 1, s.height); c.clip();
  if (s.filter.kinds.fault) T.faultNames(s, c);
  T.axis(s, c);
  if (s.filter.kinds.anomaly) T.anomalyMarks(s, c);
  c.restore();
  c.fillStyle = s.colors.line;
  c.fillRect(0, T.HEAD - 1, s.width, 1);
  c.fillRect(s.gutter - 1, 0, 1, s.height);
};

T.faultNames = function (s, c) {
  let free = 0;
  c.font = "11px system-ui, sans-serif";
  c.textAlign = "left";
  for (const f of s.data.faults) {
    const x1 = Math.max(s.gutter, T.x(s, f.since)), x2 = T.x(s, f.to);
    if (x2 < s.gutter || x1 > s.width) continue;
    c.fillStyle = s.colors.fault;
    c.fillRect(x1, 0, Math.max(1.5, x2 - x1), 3);
    const name = f.kind + (f.node ? " " + f.node : ""), width = c.measureText(name).width;
    if (x1 + 3 < free || x1 + width + 3 > s.width) continue;
    c.fillStyle = s.colors.ink;
    c.fillText(name, x1 + 3, 11);
    free = x1 + width + 10;
  }
};

T.axis = function (s, c) {
  const wide = s.view.to - s.view.from, want = wide / Math.max(2, (s.width - s.gutter) / 90);
  const base = Math.pow(10, Math.floor(Math.log10(want)));
  const step = [1, 2, 5, 10].map((m) => m * base).find((v) => v >= want) || base * 10;
  c.font = "11px system-ui, sans-serif";
  c.textAlign = "center";
  for (let t = Math.ceil(s.view.from / step) * step; t <= s.view.to; t += step) {
    const x = T.x(s, t), text = T.seconds(t, step), half = c.measureText(text).width / 2;
    c.fillStyle = s.colors.grid;
    c.fillRect(x, 32, 1, 8);
    if (x - half < s.gutter || x + half > s.width) continue;
    c.fillStyle = s.colors.dim;
    c.fillText(text, x, 25);
  }
};

T.anomalyMarks = function (s, c) {
  let last = -9;
  for (const a of s.data.anomalies) {
    const x = T.x(s, a.time);
    if (!T.showsAnomaly(s, a) || x < s.gutter - 8 || (Math.abs(x - last) < 1 && s.anomaly !== a.id)) continue;
    last = x;
    const r = s.anomaly === a.id ? 7 : 5;
    c.fillStyle = s.colors.anomaly;
    c.beginPath(); c.moveTo(x - r, T.HEAD - 9); c.lineTo(x + r, T.HEAD - 9); c.lineTo(x, T.HEAD); c.fill();
  }
};

// drawMap draws the whole run small: grants, faults, anomalies, the view.
T.drawMap = function (s) {
  const h = 44, c = T.sizeCanvas(s.map, s.width, h), col = s.colors, span = s.width - s.gutter;
  const x = (t) => s.gutter + t / s.data.end * span;
  c.fillStyle = col.bg; c.fillRect(0, 0, s.width, h);
  c.fillStyle = col.dim; c.font = "11px system-ui, sans-serif"; c.textBaseline = "middle"; c.textAlign = "left";
  c.fillText("whole run", 6, h / 2, s.gutter - 8);
  for (const f of T.united(s.data.faults, s.data.end / span)) { c.fillStyle = col["fault-band"]; c.fillRect(x(f.from), 0, Math.max(1, x(f.to) - x(f.from)), h); }
  const g = s.data.series.grants || [], top = Math.max(1, ...g);
  c.fillStyle = col.hold; c.globalAlpha = 0.65;
  g.forEach((v, i) => c.fillRect(s.gutter + i * span / g.length, h - 4 - v / top * (h - 16), Math.max(1, span / g.length - 0.5), v / top * (h - 16)));
  c.globalAlpha = 1;
  for (const a of s.data.anomalies) { if (T.showsAnomaly(s, a)) { c.fillStyle = col.anomaly; c.fillRect(x(a.time) - 0.75, 0, 1.5, 10); } }
  c.strokeStyle = col.ink; c.lineWidth = 1.5;
  c.strokeRect(x(s.view.from) + 0.75, 1, Math.max(3, x(s.view.to) - x(s.view.from) - 1.5), h - 2);
};

T.NAMES = ["waits for", "holds", "(lease over) still holds", "reads", "writes", "renews", "releases", "learns that it lost", "is killed", "probe", "(no declared end) holds", "(after a grant to another) still holds", "is inside", "carries out"];

// describe tells an item in words.
T.describe = function (s, i) {
  const it = s.items, k = it.kind[i], fl = it.flags[i], store = k === T.KIND.read || k === T.KIND.write;
  let what = T.NAMES[k];
  if (store) what += (fl & T.FLAG.fenced ? " on the fenced store" : " on the plain store");
  else if (it.lock[i]) what += " " + s.data.locks[it.lock[i]];
  if (fl & T.FLAG.stale) what += " – refused as stale"; else if (fl & T.FLAG.fail) what += " – refused"; else if (fl & T.FLAG.unknown) what += " – outcome unknown";
  const detail = [];
  if (it.lease[i]) detail.push((k >= T.KIND.run ? "run " : "lease ") + it.lease[i]);
  if (s.data.texts[it.text[i]]) detail.push(s.data.texts[it.text[i]].trim());
  return { who: s.data.lanes[it.lane[i]], what, detail: detail.join(", "), from: it.start[i], dur: it.dur[i] };
};
