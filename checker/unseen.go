package checker

import "locktorture/checker/incident"

// unseen is asked about a property without a violation. It says why no violation could have
// been seen; "" if one could.
func (v *verdict) unseen(property string) string {
	switch property {
	case incident.Exclusion:
		if v.run.Options.Bounded && !v.run.Options.Watched && v.on.Totals.Untold == v.run.Counts.Grants {
			return "no lease reported its validity, so no lease promised anything"
		}
	case incident.Fencing:
		if v.on.Totals.Tokenless == v.run.Counts.Grants {
			return "no grant came with a token"
		}
	case incident.Ownership:
		return v.ownershipUnseen()
	}
	return ""
}

// ownershipUnseen says why no release could be seen to end another's lease. A look at a server
// shows whose lease is there only if leases report the name under which the server keeps them.
// Where nobody looked, a release is evidence only if the promise of its lease had ended
// before.
func (v *verdict) ownershipUnseen() string {
	switch {
	case len(v.run.Probed) == 0 && v.run.Options.Blind:
		return "the servers were not probed, and this lock answers a release with ok even if its lease had already ended"
	case len(v.run.Probed) == 0 && !v.run.Options.Bounded && !v.run.Options.Watched:
		return "the servers were not probed, and the promise of a lease ends with its release"
	case len(v.run.Probed) == 0 || v.named():
		return ""
	case v.on.Totals.Ownerless == v.run.Counts.Grants:
		return "the leases do not say under which name the servers keep them"
	}
	return "the probes found no lease under the name that its holder had reported"
}

// named reports whether a lease was seen on a server under the name that it reported.
func (v *verdict) named() bool {
	for _, o := range v.run.Owners {
		if o.Grants > 0 {
			return true
		}
	}
	return false
}
