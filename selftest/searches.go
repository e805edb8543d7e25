package selftest

// soundKinds are the faults that a lock whose leases run on its servers' clocks must stand.
const soundKinds = "pause,kill,hold,drop,reset,reorder,stop"

// A hunt is what torture explore is to find, and with how much.
type hunt struct {
	Backend   string   `json:"backend"`
	Anomalies []string `json:"anomalies"` // one of these
	Flags     []string `json:"flags,omitempty"`
	Processor float64  `json:"most"` // s, that the median search may take
}

// hunts are the anomalies that locks are known for, in virtual time.
func hunts() []hunt {
	return []hunt{
		{"redis-set-del", []string{"foreign-release"}, nil, 3},
		{"redis-set-getdel", []string{"foreign-release"}, nil, 3},
		// After a restart go-redis rests, and the lock is free meanwhile: a deadlock, and not theirs.
		{"redis-setnx-expire", []string{"deadlock"}, []string{"--kinds", soundKinds}, 3},
		{"redis-watch", []string{"immortal", "deadlock"}, []string{"--kinds", soundKinds}, 3},
		{"redis-getset", []string{"foreign-release"}, nil, 3},
		{"rueidislock", []string{"late-notice"}, nil, 3},
		{"rueidislock", []string{"overrun"}, []string{"--kinds", soundKinds}, 3},
		{"redis-permits", []string{"over-capacity"}, nil, 8},
		{"redis-semaphore", []string{"lost-permit"}, nil, 3},
		{"redis-latch", []string{"early-open"}, nil, 3},
		{"redlock", []string{"double-grant"}, nil, 8},
		{"redlock-nocheck", []string{"overrun"}, nil, 8},
		{"multilock", []string{"double-grant"}, []string{"--kinds", "restart," + soundKinds}, 8},
		{"redsync", []string{"orphan"}, nil, 30},
		{"etcd-double-barrier", []string{"never-open"}, []string{"--kinds", "hold"}, 60},
		// Known failures of etcd's library: a candidate without a session, a request whose reply is lost, a
		// watch of a compacted revision. The last two are a deadlock each, so they are looked for apart.
		{"etcd-election", []string{"zombie-candidate"}, []string{"--kinds", "drop,hold,kill,pause,reorder,reset,restart,stop"}, 60},
		{"etcd-election", []string{"zombie-candidate"}, []string{"--kinds", "hold,revoke"}, 60},
		{"etcd-election", []string{"deadlock"}, []string{"--option", "session=kept", "--kinds", "compact,reset"}, 60},
		{"etcd-election", []string{"deadlock"}, []string{"--option", "session=kept", "--kinds", "compact"}, 60},
		// A retried Unlock deletes the key of the session's next lock, whose holder does not learn of it.
		{"etcd-concurrency", []string{"late-notice", "overrun", "lost-update"}, []string{"--option", "session=kept", "--option", "unlock=retried", "--kinds", "drop,reset"}, 60},
	}
}
