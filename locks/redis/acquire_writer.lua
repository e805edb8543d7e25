-- Takes the lock as a writer (owner, TTL in ms). If others have it: the ms after which
-- the last of their leases ends.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'mode', 'write', ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return false
end
return redis.call('PTTL', KEYS[1])
