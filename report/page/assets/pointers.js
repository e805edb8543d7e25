// Mouse, pen and fingers: drag moves, two fingers zoom, the wheel with Ctrl
// zooms, a tap or click chooses. Vertical moves scroll the page.
T.pointers = function (s) {
  const down = new Map();
  let moved = 0, grip = null;
  const at = (e) => { const r = s.canvas.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top }; };

  s.canvas.addEventListener("pointerdown", (e) => {
    s.canvas.setPointerCapture(e.pointerId);
    down.set(e.pointerId, at(e));
    if (down.size === 1) moved = 0;
    grip = down.size === 2 ? pinch() : null;
  });
  s.canvas.addEventListener("pointermove", (e) => {
    const p = at(e), before = down.get(e.pointerId);
    if (!before) { if (e.pointerType === "mouse") hover(p); return; }
    down.set(e.pointerId, p);
    moved += Math.abs(p.x - before.x) + Math.abs(p.y - before.y);
    if (down.size === 2) {
      const now = pinch();
      if (grip && now.wide > 10) T.zoom(s, grip.wide / now.wide, now.x);
      grip = now;
    } else if (moved > 4) {
      s.canvas.classList.add("dragging");
      T.pan(s, -(p.x - before.x) / (s.width - s.gutter));
    }
  });
  function up(e) {
    const p = down.get(e.pointerId);
    down.delete(e.pointerId);
    grip = null;
    s.canvas.classList.remove("dragging");
    if (e.type === "pointerup" && p && moved <= 4) choose(p);
  }
  s.canvas.addEventListener("pointerup", up);
  s.canvas.addEventListener("pointercancel", up);
  s.canvas.addEventListener("wheel", (e) => {
    if (e.ctrlKey || e.metaKey) { T.zoom(s, Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), at(e).x); e.preventDefault(); }
    else if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) { T.pan(s, (e.deltaX || e.deltaY) / s.width); e.preventDefault(); }
  }, { passive: false });

  const pinch = () => { const [a, b] = [...down.values()]; return { x: (a.x + b.x) / 2, wide: Math.abs(a.x - b.x) }; };
  const same = (a, b) => a && b && a.item === b.item && a.fault === b.fault && a.anomaly === b.anomaly;
  function hover(p) {
    const hit = T.pick(s, p.x, p.y);
    s.canvas.style.cursor = hit ? "pointer" : "";
    // What was chosen stays until something else is chosen.
    if (!s.fixed && hit && !same(hit, s.over)) T.show(s, hit);
    s.over = hit;
  }
  function choose(p) {
    const hit = T.pick(s, p.x, p.y);
    s.fixed = !!hit;
    if (hit && hit.anomaly) { T.jump(s, hit.anomaly.id); return; }
    s.anomaly = 0;
    s.leases = hit && hit.item !== undefined && s.items.lease[hit.item] ? new Set([s.items.lease[hit.item]]) : null;
    T.show(s, hit);
    if (p.x >= s.gutter) T.setCursor(s, T.time(s, p.x));
    T.refresh(s);
  }

  let mapDown = false;
  const centre = (e) => {
    const r = s.map.getBoundingClientRect(), t = (e.clientX - r.left - s.gutter) / (r.width - s.gutter) * s.data.end, half = (s.view.to - s.view.from) / 2;
    T.setView(s, t - half, t + half);
  };
  s.map.addEventListener("pointerdown", (e) => { mapDown = true; s.map.setPointerCapture(e.pointerId); centre(e); });
  s.map.addEventListener("pointermove", (e) => { if (mapDown) centre(e); });
  s.map.addEventListener("pointerup", () => { mapDown = false; });
  s.map.addEventListener("pointercancel", () => { mapDown = false; });
};
