package redis

import "locktorture/locks/redisconn"

// Scripts returns the sources of the Lua scripts as the servers receive them, by the names of their
// files. A trace shows these names instead of the sources.
func Scripts() map[string]string {
	all := map[string]string{
		"acquire_fair.lua": fairStaleSource + acquireFairSource, "release_fair.lua": fairStaleSource + releaseFairSource,
		"leave_fair.lua": leaveFairSource, "acquire_fenced.lua": acquireFencedSource, "holds_rw.lua": holdsRWSource,
		"set_latch.lua": setLatchSource, "count_latch.lua": countLatchSource, "acquire_lua.lua": acquireLuaSource,
		"acquire_permits.lua": acquirePermitsSource, "release_permits.lua": releasePermitsSource,
		"acquire_reentrant.lua": acquireReentrantSource, "release_reentrant.lua": releaseReentrantSource,
		"renew_reentrant.lua": renewReentrantSource, "acquire_reader.lua": acquireReaderSource,
		"acquire_writer.lua": acquireWriterSource, "release_reader.lua": releaseReaderSource,
		"release_writer.lua": releaseWriterSource, "renew_reader.lua": renewReaderSource,
		"acquire_semaphore.lua": acquireSemaphoreSource,
	}
	for name, source := range redisconn.Sources() {
		all[name] = source
	}
	return all
}
