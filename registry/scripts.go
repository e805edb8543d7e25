package registry

import "locktorture/locks/redis"

// Scripts returns the sources of Lua scripts that locks send to servers, by their names.
func Scripts() map[string]string { return redis.Scripts() }
