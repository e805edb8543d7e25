package machine

// told reports whether there is anything of which a native process was not told.
func (p *Process) told() bool {
	for _, f := range p.files {
		if f.fresh {
			return true
		}
	}
	return false
}

// end ends a native process where it is.
func (p *Process) end() error {
	if p.ended {
		return nil
	}
	if !p.done {
		p.done, p.code = true, killed
	}
	p.ended = true
	return p.remote.close()
}
