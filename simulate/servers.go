package simulate

import (
	"os"
	"path/filepath"
	"slices"

	"locktorture/simulate/inside"
)

// servers are the servers of a run.
type servers struct {
	w       *world
	all     []*node
	dir     string // directory of the files of servers that are guests
	ticking bool   // the servers do their periodic work
}

// found makes the members of a cluster, which do not run yet.
func (s *servers) found(n int) (err error) {
	if s.dir, err = os.MkdirTemp(s.w.cfg.Cluster.Disks, "torture-sim-"); err != nil {
		return err
	}
	kind := s.w.cfg.Order.Cluster()
	for i := range n {
		at := &node{w: s.w, number: i + 1, name: inside.ServerName(kind, i+1), conns: map[int]*conn{}}
		at.member = &member{node: at, dir: filepath.Join(s.dir, at.name)}
		if err := os.Mkdir(at.member.dir, 0o700); err != nil {
			return err
		}
		if fails(s.w.cfg.Schedule) {
			if err := at.member.keepSafe(); err != nil {
				return err
			}
		}
		s.all = append(s.all, at)
		s.w.cfg.Order.Endpoints = append(s.w.cfg.Order.Endpoints, inside.ServerAddr(kind, i+1))
	}
	return nil
}

// sever begins a fault that cuts servers off from the others (more is 1), or ends one (more is
// -1). A fault of all servers cuts each of them off from every other one.
func (s *servers) sever(numbers []int, more int) {
	for _, a := range numbers {
		for b := 1; b <= len(s.all); b++ {
			if a == b || len(numbers) < len(s.all) && slices.Contains(numbers, b) {
				continue
			}
			for _, l := range []*link{s.w.net.link(-a, b), s.w.net.link(-b, a)} {
				l.severed += more
				switch {
				case l.severed > 0:
					l.cut = true
				default:
					l.heal()
				}
			}
		}
	}
}
