package redis_test

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"testing"

	"locktorture/wire/redis"
)

// TestDeeds: what a script does to a lock is part of its name, where its commands tell.
func TestDeeds(t *testing.T) {
	for script, want := range map[string]string{
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`:                                                                         "release script(",
		`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`:                                                            "renew script(",
		`return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])`:                                                                                                      "acquire script(",
		`if redis.call('exists', KEYS[1]) == 0 then redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) end return redis.call('pttl', KEYS[1])`: "acquire script(",
		`redis.call('set', KEYS[1], 1) redis.call('del', KEYS[2])`:                                                                                                             "script(",
		`return redis.call('get', KEYS[1])`: "script(",
		`return 1`:                          "script(",
	} {
		got := texts(redis.New(redis.NewScripts(nil)).Decode(false, []byte(resp("EVAL", script, "1", "k", "v"))))
		if len(got) != 1 || !strings.HasPrefix(got[0], "EVAL "+want) {
			t.Errorf("%s: %q, want %s", script, got, want)
		}
	}
}

// TestLearn: a script that is sent by its hash before its source has its name at once, if what
// follows was learned.
func TestLearn(t *testing.T) {
	const script = "return redis.call('del', KEYS[1])"
	for _, source := range []string{resp("PING") + resp("EVAL", script, "1", "k"), resp("SCRIPT", "LOAD", script)} {
		s := redis.NewScripts(nil)
		s.Learn([]byte("*2\r\n$3\r\nGET\r\n$6\r\nredis.\r\n" + source))
		got := texts(redis.New(s).Decode(false, []byte(resp("EVALSHA", sumOf(script), "1", "k"))))
		if want := `EVALSHA release script("return redis.call('del', KEYS[1])") keys k args`; len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func sumOf(script string) string {
	h := sha1.Sum([]byte(script))
	return hex.EncodeToString(h[:])
}
