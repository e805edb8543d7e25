package layers

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A house is the rooms of the module, the folders at its top and those of internal and cmd, with
// the rooms that each imports.
type house map[string]map[string]bool

// room returns the room of a folder.
func room(folder string) string {
	top, below, _ := strings.Cut(folder, "/")
	if top == "internal" || top == "cmd" {
		next, _, _ := strings.Cut(below, "/")
		return top + "/" + next
	}
	return top
}

func houseOf(imports map[string][]string) house {
	h := house{}
	for folder, imports := range imports {
		r := room(folder)
		if h[r] == nil {
			h[r] = map[string]bool{}
		}
		for _, imp := range imports {
			if in, ours := strings.CutPrefix(imp, module); ours && room(in) != r {
				h[r][room(in)] = true
			}
		}
	}
	return h
}

// floors numbers the rooms: one that imports no other is on floor 0, any other one above the
// highest that it imports. circle names rooms that import each other, in their order; nil if there are none.
func (h house) floors() (floors map[string]int, circle []string) {
	floors = map[string]int{}
	var climb func(room string, below []string)
	climb = func(room string, below []string) {
		if at := slices.Index(below, room); at >= 0 {
			circle = append(slices.Clone(below[at:]), room)
			return
		}
		if _, done := floors[room]; done {
			return
		}
		floor := 0
		for imported := range h[room] {
			climb(imported, append(below, room))
			floor = max(floor, floors[imported]+1)
		}
		floors[room] = floor
	}
	for room := range h {
		climb(room, nil)
	}
	return floors, circle
}

// TestFloors fails where rooms import each other, and where docs/design.md gives a folder another
// floor than its imports do or lists the floors out of order.
func TestFloors(t *testing.T) {
	imports := packages(t)
	floors, circle := houseOf(imports).floors()
	if circle != nil {
		t.Fatalf("imports that run upwards: %s", strings.Join(circle, " → "))
	}
	last, rows := 0, 0
	for _, line := range strings.Split(page(t, "docs/design.md"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		stated, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil {
			continue
		}
		rows++
		if stated < last {
			t.Errorf("docs/design.md: a row of floor %d follows one of floor %d:%s", stated, last, cells[2])
		}
		last = stated
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			folder := strings.TrimSuffix(m[1], "/")
			if floor, ok := floors[room(folder)]; !ok || floor != stated {
				t.Errorf("docs/design.md puts %s on floor %d; its imports put it on floor %d", folder, stated, floor)
			}
		}
	}
	if rows < 40 {
		t.Errorf("docs/design.md: only %d rows have a floor", rows)
	}
}

// TestCircle shows that floors notices rooms that import each other.
func TestCircle(t *testing.T) {
	_, circle := houseOf(map[string][]string{
		"trial": {module + "simulate/anchor"}, "simulate/anchor": {module + "cluster"}, "simulate": {module + "trial"}, "cluster": nil,
	}).floors()
	if len(circle) != 3 {
		t.Errorf("trial imports a part of simulate, which imports trial, and the circle is %q", circle)
	}
	floors, circle := houseOf(map[string][]string{"a": {module + "b/c", "fmt"}, "b/c": {module + "internal/d"}, "internal/d": nil}).floors()
	if circle != nil || floors["a"] != 2 || floors["b"] != 1 || floors["internal/d"] != 0 {
		t.Errorf("floors %v, circle %q", floors, circle)
	}
}
