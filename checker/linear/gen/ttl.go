package gen

import (
	"math/rand/v2"

	"locktorture/checker/linear"
)

// ttl draws the TTL that is guaranteed to one hold; 0 stands for the TTL of the Config. In a
// long history it is longer than a call takes, as it is in real life.
func (cfg Config) ttl(r *rand.Rand) int64 {
	if r.IntN(3) > 0 {
		return 0
	}
	if cfg.long() {
		return cfg.TTL + r.Int64N(cfg.TTL)
	}
	return 1 + r.Int64N(2*cfg.TTL)
}

// lasts returns how long a grant or a renewal is guaranteed.
func (cfg Config) lasts(o *linear.Operation) int64 {
	if o.TTL != 0 {
		return o.TTL
	}
	return cfg.TTL
}
