package registry

import "locktorture/locks/redis"

// Scripts are the sources of Lua scripts that locks send to servers, by their names.
func Scripts() map[string]string { return redis.Scripts() }
