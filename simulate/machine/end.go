package machine

// unsent reports whether the host has input for a native process that it has not sent yet.
func (p *Process) unsent() bool {
	for _, f := range p.files {
		if f.fresh {
			return true
		}
	}
	return false
}

// end kills a native process.
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
