package tape

// A slot is the place of a block in the file.
type slot struct {
	link     int
	from, to int64 // ns
	open     bool  // the block is being written
	kept     bool  // the block is near a violation
}

// A window is a time near a violation.
type window struct{ from, to int64 }

// slots holds the blocks of a file.
type slots struct {
	max, links int
	all        []slot
	windows    []window
	kept       int
}

// take returns a place for a block of a link: a new one, the oldest of a link with more than its
// share, or the oldest of all. It returns -1 if all are needed.
func (s *slots) take(link int, from int64) int {
	fresh := slot{link: link, from: from, to: from, open: true}
	if len(s.all) < s.max {
		s.all = append(s.all, fresh)
		return len(s.all) - 1
	}
	has := make([]int, s.links)
	for _, o := range s.all {
		has[o.link]++
	}
	found, rich := -1, false
	for i, o := range s.all {
		if o.open || o.kept {
			continue
		}
		above := has[o.link] > s.max/s.links
		if found < 0 || above && !rich || above == rich && o.to < s.all[found].to {
			found, rich = i, above
		}
	}
	if found >= 0 {
		s.all[found] = fresh
	}
	return found
}

// seal ends a block.
func (s *slots) seal(i int, to int64) {
	o := &s.all[i]
	o.open, o.to = false, to
	for _, w := range s.windows {
		s.pin(o, w)
	}
}

// longestWindows bounds the number of windows that are remembered.
const longestWindows = 1000

func (s *slots) keep(from, to int64) {
	if len(s.windows) >= longestWindows {
		return
	}
	w := window{from, to}
	s.windows = append(s.windows, w)
	for i := range s.all {
		if !s.all[i].open {
			s.pin(&s.all[i], w)
		}
	}
}

// pin keeps a block that overlaps a window. At most half of the tape is kept this way, so that new
// data is recorded too.
func (s *slots) pin(o *slot, w window) {
	if !o.kept && o.to >= w.from && o.from <= w.to && s.kept < s.max/2 {
		o.kept = true
		s.kept++
	}
}
