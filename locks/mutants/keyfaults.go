package mutants

import (
	"context"
	"hash/fnv"
	"time"

	"locktorture/locks"
)

// The switches of a Key that act on an acquire.
const (
	WrongGrant        Switch = "wrong-grant"         // one refusal in 1,500 is taken for a grant
	TrySaysYes        Switch = "try-says-yes"        // a refused try is granted
	SilenceIsYes      Switch = "silence-is-yes"      // an unanswered request counts as granted
	VoidGrant         Switch = "void-grant"          // every request is granted, with a validity that is over
	RefusesWhatLanded Switch = "refuses-what-landed" // one grant in 30 is answered "not acquired"
	CachedGrant       Switch = "cached-grant"        // a grant is reused after its release
	OwnerCollides     Switch = "owner-collides"      // all clients have the same owner value
	IgnoresName       Switch = "ignores-name"        // all locks use the same key
	LongValidity      Switch = "long-validity"       // the reported validity is 20 % too long
	LateValidity      Switch = "late-validity"       // the validity starts at the reply
	TTLInSeconds      Switch = "ttl-too-long"        // milliseconds given where the server expects seconds
	TTLInMillis       Switch = "ttl-too-short"       // seconds given where the server expects milliseconds
	ImmortalName      Switch = "immortal-name"       // a key without expiry for one name in three
	NeverExpires      Switch = "never-expires"       // no key has an expiry
	TokenWraps        Switch = "token-wraps"         // tokens of eight bits, which wrap
	TokenInt32        Switch = "token-int32"         // tokens of 31 bits, which soon wrap
	TokenFloat        Switch = "token-float"         // tokens in floating point with 24 bits, which soon repeat
	TokenRepeats      Switch = "token-repeats"       // one grant in 100 gets the token of the grant before
	TokenMissing      Switch = "token-missing"       // one grant in 30 has token 0
	TokenOfClock      Switch = "token-of-clock"      // the client's clock is the token
	TokenEarly        Switch = "token-early"         // the token is drawn before the wait for the lock
	ShutsOneOut       Switch = "shuts-one-out"       // the first client is always refused
)

// lockKey returns the key of a lock.
func (k *Key) lockKey(name string) string {
	if k.cfg.does(IgnoresName) {
		prefix, _ := locks.SplitName(name)
		return prefix + "lock:"
	}
	return locks.Key("lock:", name)
}

func (k *Key) tokenKey(name string) string { return locks.Key("token:", name) }

// expiry returns the PX of a key, in ms; 0 for none.
func (k *Key) expiry(name string) int64 {
	ms := k.cfg.TTL.Milliseconds()
	switch {
	case k.cfg.does(NeverExpires):
		return 0
	case k.cfg.does(TTLInSeconds):
		return 1000 * ms
	case k.cfg.does(TTLInMillis):
		return max(1, int64(k.cfg.TTL.Seconds()))
	case k.cfg.Switch == ImmortalName && inThree(name) && k.cfg.does(ImmortalName):
		return 0
	}
	return ms
}

// inThree reports whether a name belongs to the third of all names that ImmortalName affects.
func inThree(name string) bool {
	_, bare := locks.SplitName(name)
	h := fnv.New32a()
	h.Write([]byte(bare))
	return h.Sum32()%3 == 0
}

// validity returns the reported end of a grant's validity, by the client's clock.
func (k *Key) validity(sent, answered time.Time) time.Time {
	switch {
	case k.cfg.does(LongValidity):
		return sent.Add(k.cfg.TTL * 6 / 5)
	case k.cfg.does(LateValidity):
		return answered.Add(k.cfg.TTL)
	}
	return sent.Add(k.cfg.TTL)
}

// grantsWrongly reports whether a refusal is taken for a grant.
func (k *Key) grantsWrongly() bool {
	return k.cfg.does(VoidGrant) || k.cfg.doesIn(WrongGrant, 1500)
}

// number sets the token of a grant.
func (k *Key) number(l *keyLease, token uint64) {
	switch {
	case k.cfg.Switch == TokenEarly:
		return // the token was drawn before
	case k.cfg.does(TokenWraps):
		token %= 256
	case k.cfg.does(TokenInt32):
		token = (1<<31 - 100 + token) % (1 << 31)
	case k.cfg.does(TokenFloat):
		token = uint64(float32(1<<24 - 100 + token))
	case k.cfg.doesIn(TokenRepeats, 100):
		token--
	case k.cfg.doesIn(TokenMissing, 30):
		token = 0
	case k.cfg.does(TokenOfClock):
		token = uint64(k.cfg.Clock.Now().UnixNano())
	}
	l.token = token
}

// early draws the token before the request for the lock.
func (k *Key) early(ctx context.Context, l *keyLease) error {
	if !k.cfg.does(TokenEarly) {
		return nil
	}
	return k.draw(ctx, l)
}

// lease returns the lease that a grant will return.
func (k *Key) lease(name string) *keyLease {
	l := &keyLease{key: k, name: name, owner: k.cfg.Owner + ":" + unique()}
	if k.cfg.does(OwnerCollides) {
		l.owner = "client"
	}
	return l
}

// again returns a lease that the client holds, or believes to hold.
func (k *Key) again(name string) locks.Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.inside[name]; e != nil && k.cfg.Clock.Now().Before(e.lease.until) {
		e.inside++
		return &innerLease{e.lease, e}
	}
	if l := k.cached[name]; l != nil && k.cfg.Clock.Now().Before(l.until) && k.cfg.does(CachedGrant) {
		return l
	}
	return nil
}
