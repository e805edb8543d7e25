package site

// A faultView is what the page of a fault shows.
type faultView struct {
	fault
	Locks   []lockCells // that were run under it
	Without []reason    // locks that cannot suffer it
	Missing []string    // locks that were not run under it
}

// A lockCells is a lock with its cells under a fault.
type lockCells struct {
	Lock  string
	Cells []*cell
}

func (d *data) faultPage(f fault) view {
	v := faultView{fault: f}
	for _, l := range d.locks {
		row := d.under(l.Name, f.Name)
		switch {
		case len(row.Cells) > 0:
			v.Locks = append(v.Locks, lockCells{l.Name, row.Cells})
		case row.Why != "":
			v.Without = append(v.Without, reason{l.Name, row.Why})
		default:
			v.Missing = append(v.Missing, l.Name)
		}
	}
	return view{kind: "fault", title: f.Name, up: "../", data: v}
}
