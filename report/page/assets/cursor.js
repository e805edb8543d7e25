// The cursor's log: what changed and when. cursor.go and cursor_values.go write it.
T.CHANGES = [
  (r, text, now) => ({ call: r.uvarint(), lock: text(), store: text(), since: now - r.uvarint() }),
  (r, text, now) => {
    const number = r.uvarint();
    if (!number) return null;
    const v = { number, lock: text(), share: text(), token: T.token(r), granted: now - r.uvarint(), phase: r.uvarint(), since: now - r.uvarint(), least: T.ends(r, now) };
    v.most = typeof v.least === "number" ? v.least + r.uvarint() : v.least;
    return v;
  },
  (r, text, now) => {
    const v = { seen: now - r.uvarint(), took: r.uvarint(), holders: [] };
    for (let n = r.uvarint(); n > 0; n--) v.holders.push({ owner: text(), client: text(), lease: r.uvarint(), share: text(), until: T.ends(r, now) });
    return v;
  },
  (r, text, now) => ({ key: text(), value: text(), ...T.author(r, text, now) }),
  (r, text, now) => T.author(r, text, now),
];

T.author = (r, text, now) => ({ by: text(), lease: r.uvarint(), token: T.token(r), at: now - r.uvarint() });

// ends is a moment; null: not known, Infinity: never.
T.ends = (r, now) => [() => null, () => now + r.varint(), () => Infinity][r.uvarint()]();

// token is written in digits: it may have more than a number can hold. "": none.
T.token = function (r) {
  const high = r.uvarint(), low = r.uvarint();
  return high ? high + String(low).padStart(9, "0") : low ? String(low) : "";
};

// log decodes the log when it is first asked for.
T.log = function (s) {
  if (s.log) return s.log;
  const d = s.data.cursor, r = T.reader(T.bytes(d.log)), text = () => d.texts[r.uvarint()];
  const log = { subjects: (d.subjects || []).map((x) => ({ ...x, times: [], values: [] })), times: [] };
  let now = 0;
  for (let i = 0; i < d.count; i++) {
    now += r.uvarint();
    const to = log.subjects[r.uvarint()];
    to.values.push(T.CHANGES[to.kind](r, text, now));
    to.times.push(now);
    if (log.times[log.times.length - 1] !== now) log.times.push(now);
  }
  return (s.log = log);
};

// upTo counts the times that are t or earlier.
T.upTo = function (times, t) {
  let lo = 0, hi = times.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (times[mid] <= t) lo = mid + 1; else hi = mid;
  }
  return lo;
};

// stateAt is each subject with its value at t, without those of which nothing is known yet.
T.stateAt = function (s, t) {
  const out = [];
  for (const x of T.log(s).subjects) {
    const n = T.upTo(x.times, t);
    if (n && x.values[n - 1]) out.push({ kind: x.kind, name: x.name, of: x.of || "", ...x.values[n - 1] });
  }
  return out;
};

T.faultsAt = (s, t) => s.data.faults.filter((f) => f.from <= t && (!f.healed || t < f.to));

// known is the newest instant, up to t, of which all is known: t itself where each change is kept.
T.known = function (s, t) {
  const detail = s.data.cursor.detail, times = T.log(s).times;
  if (!detail || detail.some((d) => d.From <= t && t <= d.To)) return t;
  return times[T.upTo(times, t) - 1] || 0;
};

T.setCursor = function (s, t) {
  s.cursor = t === null ? null : T.known(s, Math.round(Math.max(0, Math.min(s.data.end, t))));
  T.showState(s);
  T.refresh(s);
};

// bring moves the view to where the cursor is.
T.bring = function (s) {
  const half = (s.view.to - s.view.from) / 2;
  if (s.cursor < s.view.from || s.cursor > s.view.to) T.setView(s, s.cursor - half, s.cursor + half);
};

// moveCursor goes to the next event or the one before; without a cursor, to the first or the last in view.
T.moveCursor = function (s, by) {
  const times = T.log(s).times;
  const from = s.cursor === null ? (by > 0 ? s.view.from - 1 : s.view.to + 1) : s.cursor;
  const at = by > 0 ? T.upTo(times, from) : T.upTo(times, from - 1) - 1;
  if (at < 0 || at >= times.length) return;
  T.setCursor(s, times[at]);
  T.bring(s);
};

// stepIncident goes to the witness of the next incident or the one before; where there are none, from anomaly to anomaly.
T.stepIncident = function (s, by) {
  const list = s.data.cursor.incidents || [];
  if (!list.length) { T.step(s, by); return; }
  const at = list.findIndex((i) => i.number === s.incident), now = s.cursor === null ? -1 : s.cursor;
  const to = at >= 0 ? list[(at + by + list.length) % list.length]
    : by > 0 ? list.find((i) => i.time > now) || list[0] : list.findLast((i) => i.time < now) || list[list.length - 1];
  if (to.anomaly) T.jump(s, to.anomaly);
  else { T.setCursor(s, to.time); T.bring(s); }
  s.incident = to.number;
};

T.drawCursor = function (s, c) {
  if (s.cursor === null) return;
  const x = T.x(s, s.cursor);
  if (x < s.gutter || x > s.width) return;
  c.fillStyle = s.colors.link;
  c.fillRect(x - 0.75, 0, 1.5, s.height);
  c.beginPath(); c.moveTo(x - 5, 0); c.lineTo(x + 5, 0); c.lineTo(x, 7); c.fill();
};
