package mutants

import (
	"context"
	"hash/fnv"
	"time"

	"locktorture/locks"
)

// What a Key does wrong when it acquires.
const (
	WrongGrant        Switch = "wrong-grant"         // a refusal in 1,500 is taken for a grant
	TrySaysYes        Switch = "try-says-yes"        // a try that was refused is granted
	SilenceIsYes      Switch = "silence-is-yes"      // a request that is not answered counts as granted
	VoidGrant         Switch = "void-grant"          // grants everybody, with a validity that is over
	RefusesWhatLanded Switch = "refuses-what-landed" // one grant in 30 is answered "not acquired"
	CachedGrant       Switch = "cached-grant"        // a grant is remembered beyond its release
	OwnerCollides     Switch = "owner-collides"      // all clients have one owner value
	IgnoresName       Switch = "ignores-name"        // all locks are one key
	LongValidity      Switch = "long-validity"       // a validity told 20 % too long
	LateValidity      Switch = "late-validity"       // a validity that begins at the reply
	TTLInSeconds      Switch = "ttl-too-long"        // milliseconds given where seconds are asked for
	TTLInMillis       Switch = "ttl-too-short"       // seconds given where milliseconds are asked for
	ImmortalName      Switch = "immortal-name"       // a key without expiry for one name in three
	NeverExpires      Switch = "never-expires"       // no key has an expiry
	TokenWraps        Switch = "token-wraps"         // tokens of eight bits
	TokenInt32        Switch = "token-int32"         // tokens of 31 bits, which are used up soon
	TokenFloat        Switch = "token-float"         // tokens in floating point of 24 bits, which are used up soon
	TokenRepeats      Switch = "token-repeats"       // one grant in 100 gets the token before its own
	TokenMissing      Switch = "token-missing"       // one grant in 30 has token 0
	TokenOfClock      Switch = "token-of-clock"      // the client's clock is the token
	TokenEarly        Switch = "token-early"         // the token is drawn before the lock is waited for
	ShutsOneOut       Switch = "shuts-one-out"       // the first client is refused, always
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

// expiry returns the PX of a key, in ms; 0: none.
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

// inThree tells one name in three from the others.
func inThree(name string) bool {
	_, bare := locks.SplitName(name)
	h := fnv.New32a()
	h.Write([]byte(bare))
	return h.Sum32()%3 == 0
}

// validity is until when a grant is told to be valid, by the client's clock.
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

// number gives a grant its token.
func (k *Key) number(l *keyLease, token uint64) {
	switch {
	case k.cfg.Switch == TokenEarly:
		return // it has one already
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

// early draws the token before the lock is asked for.
func (k *Key) early(ctx context.Context, l *keyLease) error {
	if !k.cfg.does(TokenEarly) {
		return nil
	}
	return k.draw(ctx, l)
}

// lease returns what will be granted.
func (k *Key) lease(name string) *keyLease {
	l := &keyLease{key: k, name: name, owner: k.cfg.Owner + ":" + unique()}
	if k.cfg.does(OwnerCollides) {
		l.owner = "client"
	}
	return l
}

// again returns a lease that the client has, or believes to have.
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
