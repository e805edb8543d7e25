// Decoding of the items and cells; report/encode.go and aggregate.go write them.
T.KIND = { wait: 0, hold: 1, beyond: 2, read: 3, write: 4, renew: 5, release: 6, lost: 7, crash: 8, probe: 9, open: 10, overtaken: 11, run: 12, effect: 13 };
T.FLAG = { fail: 1, unknown: 2, fenced: 4, stale: 8 };

T.bytes = function (base64) {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
};

T.reader = function (bytes) {
  let i = 0;
  const uvarint = () => {
    let v = 0, scale = 1;
    for (;;) {
      const b = bytes[i++];
      v += (b & 127) * scale; // not by shifts: times need more than 32 bits
      if (b < 128) return v;
      scale *= 128;
    }
  };
  return {
    byte: () => bytes[i++],
    uvarint,
    varint: () => { const v = uvarint(); return v % 2 ? -(v + 1) / 2 : v / 2; },
    more: () => i < bytes.length,
  };
};

T.decodeItems = function (data) {
  const n = data.count, r = T.reader(T.bytes(data.items));
  const it = {
    n, kind: new Uint8Array(n), flags: new Uint8Array(n), lane: new Uint16Array(n), start: new Float64Array(n), dur: new Float64Array(n),
    lock: new Uint32Array(n), text: new Uint32Array(n), lease: new Float64Array(n), from: [], to: [], longest: [],
  };
  let lane = 0, start = 0, lease = 0;
  for (let l = 0; l < data.lanes.length; l++) { it.from.push(0); it.to.push(0); it.longest.push(0); }
  for (let i = 0; i < n; i++) {
    it.kind[i] = r.byte();
    it.flags[i] = r.byte();
    const l = r.uvarint();
    if (l !== lane || i === 0) { lane = l; start = 0; lease = 0; it.from[l] = i; }
    it.lane[i] = l;
    start = it.start[i] = start + r.uvarint();
    it.dur[i] = r.uvarint();
    it.lock[i] = r.uvarint();
    it.text[i] = r.uvarint();
    lease = it.lease[i] = lease + r.varint();
    it.to[l] = i + 1;
    if (it.dur[i] > it.longest[l]) it.longest[l] = it.dur[i];
  }
  return it;
};

// first item of a lane that starts at or after t.
T.lowerBound = function (it, lane, t) {
  let lo = it.from[lane], hi = it.to[lane];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (it.start[mid] < t) lo = mid + 1; else hi = mid;
  }
  return lo;
};

T.GROUPS = 5;
// cells: one byte for each lane, group and bin; null if nothing was summed up.
T.decodeCells = function (data) {
  if (!data.bins) return null;
  const r = T.reader(T.bytes(data.cells));
  const out = new Uint8Array(data.lanes.length * T.GROUPS * data.bins);
  for (let at = -1; r.more();) { at += r.uvarint(); out[at] = r.byte(); }
  return out;
};
