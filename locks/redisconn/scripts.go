package redisconn

import (
	_ "embed"

	goredis "github.com/redis/go-redis/v9"
)

//go:embed release.lua
var releaseSource string

//go:embed renew.lua
var renewSource string

// ReleaseScript returns the script that deletes KEYS[1] if its value is ARGV[1]. It answers 1 if it
// did, else 0.
func ReleaseScript() *goredis.Script { return goredis.NewScript(releaseSource) }

// RenewScript returns the script that gives KEYS[1] a TTL of ARGV[2] ms if its value is ARGV[1]. It
// answers 1 if it did, else 0.
func RenewScript() *goredis.Script { return goredis.NewScript(renewSource) }

// Sources returns the sources of the scripts by the names of their files.
func Sources() map[string]string {
	return map[string]string{"release.lua": releaseSource, "renew.lua": renewSource}
}
